import Glibc
import HTTP

/// The default gateways of this machine, as the kernel's routing tables list them.
///
/// In a container on a bridge network, the gateway is the host: requests to a published port, such as those of a reverse
/// proxy on the host, come from its address.
enum DefaultGateway {
    /// The addresses of the default gateways. Empty without a default route.
    static var networks: [IPNetwork] {
        func table(_ name: String) -> String { (try? TextFile.read("/proc/net/" + name)).flatMap(\.self) ?? "" }
        return networks(ipv4: table("route"), ipv6: table("ipv6_route"))
    }

    /// Parses the tables `/proc/net/route` and `/proc/net/ipv6_route`, whose numbers are hexadecimal.
    static func networks(ipv4: String, ipv6: String) -> [IPNetwork] {
        var addresses: [String] = []
        for line in ipv4.split(separator: "\n") {
            // Iface, Destination, Gateway, Flags, RefCnt, Use, Metric, Mask: addresses as the machine stores them.
            let columns = line.split(whereSeparator: \.isWhitespace)
            guard columns.count > 7, columns[1] == "00000000", columns[7] == "00000000",
                let gateway = UInt32(columns[2], radix: 16), gateway != 0
            else { continue }
            addresses.append(withUnsafeBytes(of: gateway) { $0.map { String($0) }.joined(separator: ".") })
        }
        for line in ipv6.split(separator: "\n") {
            // Destination, its prefix length, source, its prefix length, next hop.
            let columns = line.split(whereSeparator: \.isWhitespace)
            guard columns.count > 4, columns[0].allSatisfy({ $0 == "0" }), columns[1] == "00",
                columns[4].utf8.count == 32, columns[4].contains(where: { $0 != "0" })
            else { continue }
            var hop = columns[4][...]
            var groups: [Substring] = []
            while !hop.isEmpty {
                groups.append(hop.prefix(4))
                hop = hop.dropFirst(4)
            }
            addresses.append(groups.joined(separator: ":"))
        }
        return addresses.compactMap { IPNetwork($0) }
    }
}
