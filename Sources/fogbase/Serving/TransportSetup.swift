import Glibc
import HTTP
import HTTPTransport
import RecordAPI
import Sockets

/// Converts settings to the transport's configuration.
enum TransportSetup {
    /// The number of file descriptors that the process needs in addition to connections: for databases with their
    /// readers, for logs, and for libraries.
    private static let reservedDescriptors = 256

    /// Returns the transport's configuration without the addresses.
    ///
    /// - Throws: `Failure` if the access log cannot be opened.
    static func configuration(_ settings: Settings, descriptors: Int) throws -> HTTPServerConfiguration {
        var transport = HTTPServerConfiguration()
        transport.loops = settings.threads
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
            networks: settings.trustedProxies.compactMap { IPNetwork($0) },
            trustsLocal: settings.trustedProxies.contains("unix"), field: settings.proxyField)
        transport.cors = CORSPolicy(origins: settings.corsOrigins)
        transport.handlesOwnPreflights = { RecordAPI.decidesOrigins(of: $0) }
        transport.accessLog = try accessLog(settings)
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

    /// Returns the addresses to listen on.
    ///
    /// - Throws: `Failure` with code `configuration` for an invalid address.
    static func addresses(_ settings: Settings) throws(Failure) -> [SocketAddress] {
        guard let address = SocketAddress(host: ListeningHost.address(settings.host), port: settings.port) else {
            throw Failure("server.host is '\(settings.host)'; it \(ListeningHost.rule).", code: .configuration)
        }
        guard !settings.unixPath.isEmpty else { return [address] }
        do throws(SocketError) {
            return [address, try SocketAddress("unix:" + settings.unixPath)]
        } catch {
            throw Failure("server.unix: \(error).", code: .configuration)
        }
    }

    /// Returns the failure to report if the server cannot listen. Its sentence suggests a fix.
    static func failure(_ error: SocketError, _ settings: Settings) -> Failure {
        guard case .system(_, let code) = error else { return Failure("The server cannot listen: \(error).") }
        let place = "\(settings.host), port \(settings.port)"
        switch code {
        case EADDRINUSE:
            return Failure(
                "Another program already listens on \(place). Stop it, or choose another port with --port.")
        case EACCES:
            return Failure(
                "This user may not listen on \(place). Ports below 1024 need more privileges: choose another one with --port."
            )
        case EADDRNOTAVAIL:
            return Failure("This machine has no address \(settings.host). Choose another one with --host.")
        case EMFILE, ENFILE:
            return Failure("The system allows too few open files. Raise the limit with ulimit -n.")
        default: return Failure("The server cannot listen on \(place): \(reason(error)).")
        }
    }

    private static func reason(_ error: SocketError) -> String {
        guard case .system(_, let code) = error else { return "\(error)" }
        return String(cString: strerror(code))
    }
}

/// The address to listen on, in the notation of the setting.
enum ListeningHost {
    static let rule = "must be an IP address of this machine, such as 127.0.0.1 or ::1; 0.0.0.0 means all"

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
