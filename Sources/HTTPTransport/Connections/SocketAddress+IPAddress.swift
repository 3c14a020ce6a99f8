internal import HTTP
internal import Sockets

extension SocketAddress {
    /// The address without port and zone; `nil` for a Unix socket.
    var ipAddress: IPAddress? {
        switch self {
        case .ipv4(let address, _): IPAddress(ipv4: address)
        case .ipv6(let high, let low, _, _): IPAddress(high: high, low: low)
        case .unix: nil
        }
    }
}
