import HTTP
import RecordAPI

/// One row of the matrix: a request, what each kind of caller is answered, and how the answer for something hidden is
/// compared with that for something that does not exist.
///
/// What must not be in an answer is not the row's to say: `MatrixSecret` knows who may learn what, on every route.
struct MatrixRow: Sendable {
    /// The route that it is meant for, by its name in `/openapi.json`.
    let route: String
    let method: HTTPMethod
    let target: String
    var body: String?
    var headers: [(String, String)] = []
    /// The statuses for the callers in `CallerKind.live`, in their order.
    let live: [Int]
    /// The status for those whose token is good for nothing: all the same.
    var dead = 401
    /// What the request names, and a name of the same length that nothing has. Callers for whom it is hidden get the same
    /// answer for both, byte by byte.
    var twin: (hidden: String, missing: String)?
    /// The number of records that each live caller is answered and told of.
    var counts: [Int]?
    /// Secrets that the address itself is the right to.
    var shows: [String] = []
    /// The one exception: who must not know the record learns that the name is taken, and no more.
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

    /// What a caller is to be answered; `nil` if the row does not say.
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
        records + recordsHidden + batches + queries + sets + assets + uploads + schema + rights + accounts + sessions
        + invitations + keys + administrators + operation
}

extension [Int] {
    /// The same for all who are let in.
    static func everybody(_ status: Int) -> [Int] { [Int](repeating: status, count: CallerKind.live.count) }

    /// What takes a right that administrators have: `others` are 401, 403, … who are none.
    static func administrators(_ owner: Int, _ developer: Int, _ editor: Int, _ viewer: Int) -> [Int] {
        [401, 403, 403, 403, 403, 403, 403, owner, developer, editor, viewer, owner]
    }
}
