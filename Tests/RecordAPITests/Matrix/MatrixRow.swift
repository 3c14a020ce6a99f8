import HTTP
import RecordAPI

/// One row of the matrix: a request, the response to each kind of caller, and how the response for something hidden is
/// compared with the response for something missing.
///
/// A row does not list what a response must not contain: `MatrixSecret` defines that for all routes.
struct MatrixRow: Sendable {
    /// The route that it is meant for, by its name in `/openapi.json`.
    let route: String
    let method: HTTPMethod
    let target: String
    var body: String?
    var headers: [(String, String)] = []
    /// The statuses for the callers in `CallerKind.live`, in their order.
    let live: [Int]
    /// The status for callers with an invalid token: the same for all.
    var dead = 401
    /// The target of the request, and a missing name of the same length. Callers that may not see the target get
    /// identical responses for both, byte by byte.
    var twin: (hidden: String, missing: String)?
    /// The number of records in the response to each live caller.
    var counts: [Int]?
    /// Secrets that the address itself is the right to.
    var shows: [String] = []
    /// The one exception: a caller that must not know the record learns only that the name is taken.
    var tellsTakenName = false

    init(
        _ route: String, _ method: HTTPMethod, _ target: String, _ body: String?,
        headers: [(String, String)] = [], _ live: [Int], dead: Int = 401,
        twin: (hidden: String, missing: String)? = nil,
        counts: [Int]? = nil, tellsTakenName: Bool = false
    ) {
        self.route = route
        self.method = method
        self.target = target
        self.body = body
        self.headers = headers
        self.live = live
        self.dead = dead
        self.twin = twin
        self.counts = counts
        self.tellsTakenName = tellsTakenName
    }

    /// Without a body.
    init(
        _ route: String, _ method: HTTPMethod, _ target: String, headers: [(String, String)] = [], _ live: [Int],
        dead: Int = 401, twin: (hidden: String, missing: String)? = nil, counts: [Int]? = nil, shows: [String] = []
    ) {
        self.init(route, method, target, nil, headers: headers, live, dead: dead, twin: twin, counts: counts)
        self.shows = shows
    }

    /// The expected status of a caller; `nil` if the row has none.
    func status(for kind: CallerKind) -> Int? {
        guard let index = CallerKind.live.firstIndex(of: kind) else { return dead }
        return index < live.count ? live[index] : nil
    }

    func count(for kind: CallerKind) -> Int? {
        guard let counts, let index = CallerKind.live.firstIndex(of: kind), index < counts.count else { return nil }
        return counts[index]
    }

    var description: String { "\(method.text) \(target)" }

    static let all: [MatrixRow] =
        records + recordsHidden + batches + queries + sets + assets + uploads + schema + rights + accounts
        + userSessions
        + sessions + readAs + invitations + keys + cloudKitTokens + webhooks + zones + subscriptions + jobs + schedules
        + administrators
        + operation
}

extension [Int] {
    /// The same status for all accepted callers.
    static func everybody(_ status: Int) -> [Int] { [Int](repeating: status, count: CallerKind.live.count) }

    /// Requests that need a right of administrators: `others` get 401, 403, ….
    static func administrators(_ owner: Int, _ developer: Int, _ editor: Int, _ viewer: Int) -> [Int] {
        [401, 403, 403, 403, 403, 403, 403, owner, developer, editor, viewer, owner]
    }
}
