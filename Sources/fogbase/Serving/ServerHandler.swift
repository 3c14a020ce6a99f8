import HTTP
import HTTPTransport
import RecordAPI
import Threads

/// Handles all requests: paths below `/_/` go to the console, all other paths to the HTTP interface.
struct ServerHandler: HTTPHandler {
    let api: RecordAPI
    let console: Console?
    let hosts: HostPolicy
    /// The response that redirects browsers from `/` to the console.
    private let redirect: HTTPResponse
    private let contexts = Locked<[RecordAPIContext]>([])

    /// Creates the handler.
    ///
    /// - Parameter basePath: The path of `public.url`, for redirects. The transport removes it from requests.
    init(api: RecordAPI, console: Console?, hosts: HostPolicy = HostPolicy(), basePath: String = "") {
        self.api = api
        self.console = console
        self.hosts = hosts
        var redirect = HTTPResponse(.permanentRedirect, route: "GET /")
        redirect.fields.append(.location, basePath + "/_/")
        StaticFiles.harden(&redirect)
        self.redirect = redirect
    }

    func makeLoopContext(on executor: any TaskExecutor) throws -> RecordAPIContext {
        let context = api.makeContext(on: executor)
        contexts.withLock { $0.append(context) }
        return context
    }

    /// Closes the readers of all loops. The databases are then closed last and can delete their WAL files. All loops
    /// must have ended, because their contexts are used without a lock.
    func closeReaders() {
        let all = contexts.withLock { contexts in
            defer { contexts = [] }
            return contexts
        }
        for context in all { context.closeReaders() }
    }

    func respond(to request: HTTPRequest, in context: RecordAPIContext) async -> HTTPResponse {
        // Health probes use an address as the Host, which may not be in the list.
        guard hosts.allows(request.fields) || request.target.segmentEquals(0, "health") else {
            return await api.rejection(Self.misdirected, of: request, in: context)
        }
        if request.target.rawPath == "/_/session" { return await api.respondToConsole(request, in: context) }
        guard let console else { return await api.respond(to: request, in: context) }
        if request.target.segmentCount > 0, request.target.segmentEquals(0, "_") {
            if let response = await console.files?.respond(to: request) { return response }
        } else if request.target.rawPath == "/", request.method == .get || request.method == .head {
            return redirect
        }
        return await api.respond(to: request, in: context)
    }

    func rejection(
        _ rejection: HTTPRejection, of request: HTTPRequest, in context: RecordAPIContext
    ) async -> HTTPResponse {
        await api.rejection(rejection, of: request, in: context)
    }

    private static let misdirected = HTTPRejection(
        .misdirectedRequest, "This server does not respond to this host name. The setting http.hosts lists its names")
}
