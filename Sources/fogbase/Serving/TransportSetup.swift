import Glibc
import HTTP
import HTTPTransport
import RecordAPI
import Sockets
import TLS

/// Converts settings to the transport's configuration.
enum TransportSetup {
    /// The number of file descriptors that the process needs in addition to connections: for databases with their
    /// readers, for logs, and for libraries.
    private static let reservedDescriptors = 256

    /// Returns the transport's configuration without the addresses.
    ///
    /// - Throws: `Failure` if the access log cannot be opened, or the certificate cannot be used.
    static func configuration(_ settings: Settings, descriptors: Int) throws -> HTTPServerConfiguration {
        var transport = HTTPServerConfiguration()
        transport.loops = settings.threads
        transport.unixSocketMode = settings.unixMode
        transport.headLimits = RequestParser.Limits(
            maxTargetBytes: settings.targetBytes, maxFieldBytes: settings.fieldBytes,
            maxHeadBytes: settings.headBytes, maxFields: settings.headFields)
        transport.deadlines.head = settings.headTimeout
        transport.deadlines.body = settings.bodyTimeout
        transport.deadlines.idle = settings.idleTimeout
        transport.deadlines.write = settings.writeTimeout
        transport.maxConnections = settings.connections
        transport.maxConnectionsPerAddress = settings.connectionsPerAddress
        let possible = max(16, descriptors - reservedDescriptors)
        if settings.connections > possible {
            transport.maxConnections = possible
            // The default is only an upper bound. A warning is needed only if the operator has set the number.
            if settings.connections != Settings().connections {
                Terminal.complain(
                    "fogbase: The system allows \(descriptors) open files (ulimit -n), so there can be"
                        + " only \(possible) connections, not \(settings.connections).")
            }
        }
        transport.maxBodyBytesInFlight = settings.bodiesInFlightBytes
        transport.minimumCompressedBytes = settings.gzipMinimumBytes == 0 ? nil : settings.gzipMinimumBytes
        transport.trustedProxies = TrustedProxies(
            networks: settings.trustedProxies.compactMap { IPNetwork($0) }
                + (settings.trustedProxies.contains("gateway") ? DefaultGateway.networks : []),
            trustsLocal: settings.trustedProxies.contains("unix"), field: settings.proxyField)
        transport.cors = CORSPolicy(origins: settings.corsOrigins)
        let rejectedOrigins = RejectedOrigins(own: settings.publicURL?.origin) { Terminal.complain("fogbase: \($0).") }
        transport.didRejectOrigin = { rejectedOrigins.note($0) }
        transport.handlesOwnPreflights = { RouteTable.decidesOrigins(of: $0) }
        transport.accessLog = try accessLog(settings)
        if let files = TLSFiles(settings) {
            let identity = try files.load()
            for warning in files.warnings(identity) { Terminal.complain("fogbase: \(warning).") }
            transport.tls = TLSServer(identity)
            if settings.tlsHSTS != .zero {
                transport.strictTransportSecurity = "max-age=\(settings.tlsHSTS.components.seconds)"
            }
        }
        let base = settings.publicURL?.basePath ?? ""
        transport.basePath = Array(base.utf8)
        transport.loggedPath = LoggedPath.ofUnmatched
        return transport
    }

    private static func accessLog(_ settings: Settings) throws -> AccessLog? {
        let format: AccessLog.Format
        switch settings.accessLog {
        case .off: return nil
        case .text: format = .text
        case .json: format = .json
        }
        do throws(SocketError) {
            return try AccessLog(
                format: format,
                destination: settings.logFile.isEmpty ? .standardError : .file(path: settings.logFile),
                sampleRate: settings.logSample)
        } catch {
            throw Failure(
                "The log file \(settings.logFile) cannot be opened: \(reason(error)). Choose another one with --log-file."
            )
        }
    }

    /// Returns the addresses to listen on, with the Unix socket.
    ///
    /// - Throws: `Failure` with code `configuration` for an invalid address.
    static func addresses(_ settings: Settings) throws(Failure) -> [SocketAddress] {
        var addresses = try addresses(settings, port: settings.port)
        if !settings.unixPath.isEmpty {
            do throws(SocketError) {
                addresses.append(try SocketAddress("unix:" + settings.unixPath))
            } catch {
                throw Failure("server.unix: \(error).", code: .configuration)
            }
        }
        return addresses
    }

    /// Returns the network addresses to listen on, each once, and none that another one of them includes.
    ///
    /// - Throws: `Failure` with code `configuration` for an invalid address.
    static func addresses(_ settings: Settings, port: UInt16) throws(Failure) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for host in ListeningHost.list(settings.host) {
            guard let address = SocketAddress(host: ListeningHost.address(host), port: port) else {
                throw Failure("server.host is '\(settings.host)'; it \(ListeningHost.rule).", code: .configuration)
            }
            addresses.append(address)
            // If the system chooses the port, each address would get another one.
            if host == "localhost", port != 0, let six = SocketAddress(host: "::1", port: port), ListeningHost.hasIPv6 {
                addresses.append(six)
            }
        }
        var known: Set<SocketAddress> = []
        return addresses.filter { address in
            known.insert(address).inserted && !addresses.contains { $0 != address && $0.includes(address) }
        }
    }

    /// Returns the failure to report if the server cannot listen. Its sentence suggests a fix.
    ///
    /// - Parameter address: The address that failed; `nil` if another step has failed.
    static func failure(_ error: SocketError, at address: SocketAddress?, _ settings: Settings) -> Failure {
        guard case .system(_, let code) = error else { return Failure("The server cannot listen: \(error).") }
        if case .unix(let path)? = address { return unixFailure(path, code) }
        let host = address?.host ?? settings.host
        let port = address?.port ?? settings.port
        let place = "\(host), port \(port)"
        let flag = port != 0 && port == settings.tlsRedirectPort ? "--tls-redirect-port" : "--port"
        switch code {
        case EADDRINUSE:
            return Failure(
                "Another program already listens on \(place). Stop it, or choose another port with \(flag).")
        case EACCES:
            return Failure(
                "This user may not listen on \(place). Ports below 1024 need more privileges: choose another one with \(flag)."
            )
        case EADDRNOTAVAIL:
            return Failure("This machine has no address \(host). Choose another one with --host.")
        case EMFILE, ENFILE:
            return Failure("The system allows too few open files. Raise the limit with ulimit -n.")
        default: return Failure("The server cannot listen on \(place): \(reason(error)).")
        }
    }

    private static func unixFailure(_ path: String, _ code: Int32) -> Failure {
        let choice = "choose another path with --unix"
        switch code {
        case EADDRINUSE:
            var status = stat()
            let isSocket = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
            let listener = ListeningSocket.processListening(at: path).map { process in
                let name = try? TextFile.read("/proc/\(process)/comm")
                return ": process \(process)" + (name.flatMap { $0 }.map { " (\($0.trimmed))" } ?? "")
            }
            return Failure(
                isSocket
                    ? "Another program already listens on the Unix socket \(path)\(listener ?? ""). Stop it, or \(choice)."
                    : "The Unix socket \(path) cannot be made: something that is no socket has this path. Move it away, or \(choice)."
            )
        case EACCES, EPERM:
            return Failure(
                "This user may not make the Unix socket \(path). Permit it to write to the directory, or \(choice).")
        case ENOENT, ENOTDIR:
            return Failure(
                "The Unix socket \(path) cannot be made: its directory does not exist. Make the directory, or \(choice)."
            )
        default:
            return Failure(
                "The server cannot listen on the Unix socket \(path): \(String(cString: strerror(code))). You can \(choice)."
            )
        }
    }

    private static func reason(_ error: SocketError) -> String {
        guard case .system(_, let code) = error else { return "\(error)" }
        return String(cString: strerror(code))
    }
}

/// The addresses to listen on, in the notation of the setting.
enum ListeningHost {
    static let rule =
        "must be an IP address of this machine, such as 127.0.0.1 or ::1, or localhost, or several, separated by commas; 0.0.0.0 means all of IPv4, :: all"

    /// Returns the entries of the setting.
    static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmed) }
    }

    /// Whether the machine has the IPv6 address of `localhost`. Containers often have none.
    static var hasIPv6: Bool {
        guard let address = SocketAddress(host: "::1", port: 0) else { return false }
        return (try? ListeningSocket(address)) != nil
    }

    /// Returns the address without brackets. `localhost` and `*` become addresses.
    static func address(_ host: String) -> String {
        switch host {
        case "localhost": "127.0.0.1"
        case "*": "0.0.0.0"
        default: host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        }
    }

    static func isAddress(_ host: String) -> Bool {
        SocketAddress(host: address(host), port: 0) != nil
    }
}

extension SocketAddress {
    /// Whether a socket on this address takes the connections to another one on the same port: 0.0.0.0 those to all of
    /// IPv4, and :: all.
    fileprivate func includes(_ other: SocketAddress) -> Bool {
        switch (self, other) {
        case (.ipv4(0, _), .ipv4), (.ipv6(0, 0, _, _), .ipv4), (.ipv6(0, 0, _, _), .ipv6): true
        default: false
        }
    }
}
