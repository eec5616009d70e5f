/** Parses a PromQL expression: the metrics that it selects, with their label matchers, and the labels that it groups by. */
import { parser } from '@prometheus-io/lezer-promql';

type Node = ReturnType<typeof parser.parse>['topNode'];

export interface MetricSelector {
  readonly metric: string;
  readonly matches: readonly { readonly label: string; readonly op: string; readonly value: string }[];
}

export interface Expression {
  readonly selectors: readonly MetricSelector[];
  /** Each grouping label with its metrics, one of which must have the label. */
  readonly grouped: readonly { readonly label: string; readonly metrics: readonly string[] }[];
}

function* within(node: Node, name: string): Generator<Node> {
  if (node.name === name) yield node;
  for (let child = node.firstChild; child; child = child.nextSibling) yield* within(child, name);
}

/** Throws if the expression is not valid PromQL. */
export function readExpression(expr: string): Expression {
  const { topNode } = parser.parse(expr);
  const textOf = (node: Node | null | undefined) => (node ? expr.slice(node.from, node.to) : '');
  const textsOf = (node: Node, name: string) => [...within(node, name)].map(textOf);
  const [broken] = within(topNode, '⚠');
  if (broken) throw new Error(`Invalid PromQL at ${broken.from}: ${expr}`);

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
  return { selectors: asked, grouped };
}
