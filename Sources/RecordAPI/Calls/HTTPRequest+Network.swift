internal import HTTP
internal import RecordEngine

extension HTTPRequest {
    /// The network of the client, if known. Limits count for it, as for `IPAddress.customer`.
    var clientNetwork: ClientNetwork? {
        client.map(\.customer).map { ClientNetwork(high: $0.high, low: $0.low) }
    }
}
