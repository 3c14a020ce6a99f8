import HTTP
import HTTPTransport
import RecordAPI
import Threads

/// Every request of the server: the console below `/_/`, everything else the interface's.
struct ServerHandler: HTTPHandler {
    let api: RecordAPI
    let console: Console?
    let hosts: HostPolicy
    /// Who opens the server in a browser means the console.
    private let redirect: HTTPResponse
    private let contexts = Locked<[RecordAPIContext]>([])

    /// - Parameter basePath: Of `public.url`, for redirections. The transport strips it from requests.
    init(api: RecordAPI, console: Console?, hosts: HostPolicy = HostPolicy(), basePath: String = "") {
        self.api = api
        self.console = console
        self.hosts = hosts
        var redirect = HTTPResponse(.permanentRedirect, route: "GET /")
        redirect.fields.append(.location, basePath + "/_/")
        StaticFiles.harden(&redirect)
        self.redirect = redirect
    }

    func makeLoopContext() throws -> RecordAPIContext {
        let context = api.makeContext()
        contexts.withLock { $0.append(context) }
        return context
    }

    /// Closes every loop's readers, so that the databases close last and take their logs with them. The loops must have
    /// ended: nobody else touches their contexts then.
    func closeReaders() {
        let all = contexts.withLock { contexts in
            defer { contexts = [] }
            return contexts
        }
        for context in all { context.closeReaders() }
    }

    func respond(to request: HTTPRequest, in context: RecordAPIContext) async -> HTTPResponse {
        // Whoever watches over the process calls it by an address.
        guard hosts.allows(request.fields) || request.target.segmentEquals(0, "health") else {
            return api.refusal(Self.misdirected, id: request.id)
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

    func refusal(_ refusal: HTTPRefusal, id: String) -> HTTPResponse {
        api.refusal(refusal, id: id)
    }

    private static let misdirected = HTTPRefusal(
        .misdirectedRequest, "This server does not respond to this host name. The setting http.hosts lists its names")
}
