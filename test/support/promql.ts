/** Parses a PromQL expression: the metrics that it asks for, the labels that select them, and the labels that it groups by. */
import { parser } from '@prometheus-io/lezer-promql';

type Node = ReturnType<typeof parser.parse>['topNode'];

export interface Asked {
  readonly metric: string;
  readonly matches: readonly { readonly label: string; readonly op: string; readonly value: string }[];
}

export interface Expression {
  readonly asked: readonly Asked[];
  /** Each grouping label, with the metrics under it: one of them must have it. */
  readonly grouped: readonly { readonly label: string; readonly metrics: readonly string[] }[];
}

function* within(node: Node, name: string): Generator<Node> {
  if (node.name === name) yield node;
  for (let child = node.firstChild; child; child = child.nextSibling) yield* within(child, name);
}

/** Throws where it is no PromQL. */
export function readExpression(expr: string): Expression {
  const { topNode } = parser.parse(expr);
  const textOf = (node: Node | null | undefined) => (node ? expr.slice(node.from, node.to) : '');
  const textsOf = (node: Node, name: string) => [...within(node, name)].map(textOf);
  const [broken] = within(topNode, '⚠');
  if (broken) throw new Error(`no PromQL at ${broken.from}: ${expr}`);

  const asked = [...within(topNode, 'VectorSelector')].map((selector) => ({
    metric: textsOf(selector, 'Identifier')[0] ?? '',
    matches: [...within(selector, 'UnquotedLabelMatcher')].map((matcher) => ({
      label: textsOf(matcher, 'LabelName')[0] ?? '',
      op: textsOf(matcher, 'MatchOp')[0] ?? '',
      value: (textsOf(matcher, 'StringLiteral')[0] ?? '').slice(1, -1),
    })),
  }));
  const grouped = [...within(topNode, 'AggregateExpr')].flatMap((aggregate) => {
    const metrics = [...within(aggregate, 'VectorSelector')].map((selector) => textsOf(selector, 'Identifier')[0] ?? '');
    const modifier = aggregate.getChild('AggregateModifier');
    return modifier ? textsOf(modifier, 'LabelName').map((label) => ({ label, metrics })) : [];
  });
  return { asked, grouped };
}
