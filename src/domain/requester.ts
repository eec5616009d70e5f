/** Says who gave an order, for the audit trail. A run that carries the order out later keeps it. */
export interface Requester {
  readonly who: string;
  /** The IP address of the client; absent if the connection ended before it could be read. */
  readonly address?: string;
}
