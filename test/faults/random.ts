/** Makes repeatable random choices: the same seed and name always give the same choices. */
export interface Random {
  between(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
  chance(share: number): boolean;
}

function hash(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  return value >>> 0;
}

/** mulberry32: small, and good enough to choose moments. */
export function randomOf(seed: string, name: string): Random {
  let state = hash(`${seed} ${name}`);
  const next = () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (least, most) => Math.round(least + next() * (most - least)),
    pick: (list) => {
      const picked = list[Math.floor(next() * list.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
    chance: (share) => next() < share,
  };
}
