public import HTTP

/// The addresses that the server may connect to.
///
/// A caller that creates a webhook chooses where the server connects to. Without this policy, such a caller could reach
/// the private network of the server, and services that trust their local peers (server-side request forgery).
public struct AddressPolicy: Sendable {
    private let allowed: [IPNetwork]
    private let isOpen: Bool

    /// Creates a policy.
    ///
    /// - Parameter allowed: Networks that may be connected to although they are not public, also without TLS.
    public init(allowing allowed: [IPNetwork] = []) {
        self.allowed = allowed
        isOpen = false
    }

    private init(isOpen: Void) {
        allowed = []
        self.isOpen = true
    }

    /// The policy for addresses that the operator has named: every address is allowed.
    public static let anywhere = AddressPolicy(isOpen: ())

    /// Whether any network may be connected to without TLS.
    var allowsPlainHTTP: Bool { isOpen || !allowed.isEmpty }

    /// Returns whether the server may connect to an address.
    ///
    /// - Parameter isEncrypted: Whether the connection uses TLS.
    public func allows(_ address: IPAddress, isEncrypted: Bool) -> Bool {
        if isOpen || allowed.contains(where: { $0.contains(address) }) { return true }
        return isEncrypted && Self.isPublic(address)
    }

    /// Returns whether an address is reachable for everyone on the Internet.
    ///
    /// An address that embeds an IPv4 address is judged by the embedded one, because a gateway may forward to it.
    ///
    /// - Source: IANA IPv4 and IPv6 Special-Purpose Address Registries.
    static func isPublic(_ address: IPAddress) -> Bool {
        if let embedded = embedded(in: address) { return isPublic(embedded) }
        if address.isIPv4 { return !special4.contains { $0.contains(address) } }
        return globalUnicast.contains(address) && !special6.contains { $0.contains(address) }
    }

    /// Returns the IPv4 address in an address of NAT64 (RFC 6052) or 6to4 (RFC 3056). IPv4-mapped addresses are IPv4
    /// addresses already.
    private static func embedded(in address: IPAddress) -> IPAddress? {
        if nat64.contains(address) { return IPAddress(ipv4: UInt32(truncatingIfNeeded: address.low)) }
        if sixToFour.contains(address) { return IPAddress(ipv4: UInt32(truncatingIfNeeded: address.high >> 16)) }
        return nil
    }

    private static let nat64 = network("64:ff9b::/96")
    private static let sixToFour = network("2002::/16")
    private static let globalUnicast = network("2000::/3")

    /// Networks that are not public, and addresses of cloud services that only a machine of the cloud reaches.
    private static let special4 = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // The metadata service of Azure has a public address.
        "168.63.129.16",
    ].map(network)

    /// Networks inside `globalUnicast` that are not public: protocol assignments with Teredo, and documentation.
    private static let special6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].map(network)

    private static func network(_ text: String) -> IPNetwork {
        guard let network = IPNetwork(text) else { preconditionFailure("\(text) is not a network") }
        return network
    }
}
