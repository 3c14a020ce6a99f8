import HTTP
import HTTPTransport
import RecordAPI
import Sockets

/// Redirects all requests on a port of plain HTTP to HTTPS, with status 308, which keeps the method and the body.
struct RedirectHandler: HTTPHandler {
    struct LoopContext: HTTPLoopContext {}

    /// The URL of the server; `nil` to keep the host of the request.
    let publicURL: PublicURL?
    /// The port of HTTPS, for hosts of requests.
    let port: UInt16
    let hosts: HostPolicy

    /// How many clients may be redirected at the same time.
    private static let maxConnections = 1_024

    /// Starts the server that redirects; `nil` if the settings have none.
    ///
    /// - Parameters:
    ///   - transport: The configuration of the server with TLS.
    ///   - port: The port of that server.
    /// - Throws: As `HTTPServer.start()`.
    static func start(
        _ settings: Settings, beside transport: HTTPServerConfiguration, to port: UInt16
    ) throws -> (server: HTTPServer<RedirectHandler>, addresses: [SocketAddress])? {
        guard settings.tlsRedirectPort != 0 else { return nil }
        var configuration = transport
        configuration.addresses = try TransportSetup.addresses(settings, port: settings.tlsRedirectPort)
        configuration.tls = nil
        configuration.strictTransportSecurity = nil
        configuration.loops = 1
        configuration.maxConnections = min(transport.maxConnections, maxConnections)
        configuration.basePath = []
        configuration.cors = CORSPolicy(origins: [])
        configuration.handlesOwnPreflights = { _ in false }
        let handler = RedirectHandler(publicURL: settings.publicURL, port: port, hosts: HostPolicy(settings.hosts))
        let server = HTTPServer(configuration: configuration, handler: handler)
        return (server, try server.start())
    }

    func makeLoopContext(on executor: any TaskExecutor) -> LoopContext { LoopContext() }

    func respond(to request: HTTPRequest, in context: LoopContext) async -> HTTPResponse {
        response(to: request)
    }

    func response(to request: HTTPRequest) -> HTTPResponse {
        guard hosts.allows(request.fields) else {
            return Self.text(
                "This server does not respond to this host name. The setting http.hosts lists its names",
                .misdirectedRequest)
        }
        guard let origin = publicURL?.origin ?? origin(of: request.fields) else {
            return Self.text("The request has no valid Host. This server speaks HTTPS", .badRequest)
        }
        let path = request.target.rawPath
        let target = (path.hasPrefix("/") ? path : "/") + (request.target.rawQuery.map { "?" + $0 } ?? "")
        var response = Self.text("This server speaks HTTPS", .permanentRedirect)
        response.fields.append(.location, origin + target)
        return response
    }

    /// Returns the origin with the host of a request; `nil` if the host is not valid.
    private func origin(of fields: HTTPFields) -> String? {
        guard fields.count(of: .host) == 1, let host = fields[.host],
            let url = try? PublicURL("http://" + host), url.basePath.isEmpty
        else { return nil }
        var name = url.origin.dropFirst("http://".count)
        if let colon = name.lastIndex(of: ":"), name.last != "]" { name = name[..<colon] }
        return "https://\(name)" + (port == 443 ? "" : ":\(port)")
    }

    func rejection(
        _ rejection: HTTPRejection, of request: HTTPRequest, in context: LoopContext
    ) async -> HTTPResponse {
        Self.text(rejection.reason, rejection.status)
    }

    private static func text(_ sentence: String, _ status: HTTPStatus) -> HTTPResponse {
        var response = HTTPResponse(status, body: .bytes(Array((sentence + ".\n").utf8)))
        response.fields.append(.contentType, literal: "text/plain; charset=utf-8")
        response.closesConnection = true
        return response
    }
}
