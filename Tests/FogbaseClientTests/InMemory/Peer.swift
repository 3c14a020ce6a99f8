import FogbaseClient
import Foundation
import RecordModel
import RecordWire
import TestSupport
import Testing

/// One of two servers that must respond alike, with its responses in a comparable form: tags, tokens, users and times
/// are numbered in the order of their appearance, and sentences are left out.
///
/// Confined to one test.
final class Peer {
    /// The request and the response.
    struct Exchange {
        var request: String
        var response: String
    }

    struct Reply {
        var status: Int
        var fields: [String: String]
        var body: Data
        var tree: JSONValue

        /// The names of the records in a page, in order.
        var names: [String] { tree["records"]?.array?.compactMap { $0["recordName"]?.string } ?? [] }
        var tag: String { tree["recordChangeTag"]?.string ?? "" }
    }

    private let transport: any Transport
    private let url: URL
    private(set) var transcript: [Exchange] = []
    private var showsOffsets = true
    private var aliases: [String: [String: Int]] = [:]
    /// Tokens by the names of users.
    private(set) var tokens: [String: String] = ["admin": LiveServer.administratorToken]

    init(_ transport: any Transport, _ url: URL) {
        self.transport = transport
        self.url = url
    }

    /// Runs a scenario on the real server and on its double, and compares their responses.
    ///
    /// - Parameter settings: `FOGBASE_…` variables of the real one.
    static func compare(
        settings: [String: String] = [:], _ scenario: (Peer) async throws -> Void
    ) async throws {
        let live = try LiveServer(
            settings: settings.merging(["FOGBASE_ACCOUNTS_ANONYMOUS": "on"]) { given, _ in given })
        let real = Peer(URLSessionTransport(), live.url)
        let server = InMemoryServer(administratorToken: LiveServer.administratorToken)
        let double = Peer(server, server.url)
        try await scenario(real)
        try await scenario(double)
        #expect(real.transcript.count == double.transcript.count)
        #expect(!real.transcript.isEmpty)
        let different = zip(real.transcript, double.transcript).filter { $0.response != $1.response }
        for (one, other) in different.prefix(6) {
            let start = max(0, zip(one.response, other.response).prefix { $0 == $1 }.count - 40)
            func part(_ exchange: Exchange) -> String { String(exchange.response.dropFirst(start).prefix(200)) }
            Issue.record("\(one.request)\n  real:   …\(part(one))\n  double: …\(part(other))")
        }
    }

    /// Sends a request and notes it.
    ///
    /// - Parameters:
    ///   - user: Who asks, by the name of `signUp`; `nil` for nobody.
    ///   - hides: Leaves the body out of the transcript, where the two may differ.
    ///   - isDone: Whether to note the response. Otherwise, the request is sent again.
    @discardableResult
    func call(
        _ method: String, _ path: String, _ query: KeyValuePairs<String, String> = [:], _ body: String? = nil,
        as user: String? = nil, fields: [(String, String)] = [], hides: Bool = false,
        until isDone: (JSONValue) -> Bool = { _ in true }
    ) async throws -> Reply {
        var text = url.absoluteString + path
        for (index, item) in query.enumerated() {
            text +=
                (index == 0 && !path.contains("?") ? "?" : "&") + Self.encode(item.key) + "=" + Self.encode(item.value)
        }
        var request = TransportRequest(
            method: method, url: try #require(URL(string: text)), fields: fields, body: body.map { Data($0.utf8) })
        if body != nil, !fields.contains(where: { $0.0 == "Content-Type" }) {
            request.fields.append(("Content-Type", "application/json"))
        }
        if let user { request.fields.append(("Authorization", "Bearer \(tokens[user] ?? user)")) }
        var response = try await transport.send(request)
        var tree = (try? JSONValue.parse(Array(response.body))) ?? .null
        var pauses = Pauses()
        while !isDone(tree) {
            await pauses.pause()
            response = try await transport.send(request)
            tree = (try? JSONValue.parse(Array(response.body))) ?? .null
        }
        // Tags are of different lengths.
        showsOffsets = body?.contains("recordChangeTag") != true
        let shown = hides ? "" : tree.isNull ? String(decoding: response.body, as: UTF8.self) : words(tree)
        let headers = ["etag", "idempotency-replayed", "preference-applied"].filter { response.fields[$0] != nil }
        transcript.append(
            Exchange(
                request: "\(method) \(path) \(query) \(body ?? "") \(fields) as \(user ?? "nobody")",
                response: "\(response.status) \(shown) \(headers) \(response.fields["content-range"] ?? "")"))
        return Reply(status: response.status, fields: response.fields, body: response.body, tree: tree)
    }

    /// Creates an account whose token `call` finds by its name.
    @discardableResult
    func signUp(_ name: String) async throws -> Reply {
        let reply = try await call("POST", "/users", [:], #"{"name":"\#(name)","password":"correct horse"}"#)
        keepToken(reply, of: name)
        return reply
    }

    /// Creates an account without a name, whose token `call` finds by this one: a password takes long to hash, and most
    /// scenarios need none.
    func join(_ name: String) async throws {
        keepToken(try await call("POST", "/users/anonymous", [:], "{}"), of: name)
    }

    func keepToken(_ reply: Reply, of name: String) {
        tokens[name] = reply.tree["token"]?.string
        if let record = reply.tree["user"]?["userRecordName"]?.string { tokens["record of " + name] = record }
    }

    /// The record name of a signed-up user.
    func record(of name: String) -> String { tokens["record of " + name] ?? "" }

    private static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    // MARK: Words

    private static let hidden: Set<String> = [
        "timestamp", "createdTimestamp", "usedTimestamp", "expiresAt", "token", "receipt", "downloadURL", "cursor",
        "previousCursor", "id", "bytes", "fileChecksum", "shortGUID",
    ]
    private static let left: Set<String> = ["reason", "uuid", "notices", "plan", "rate"]
    private static let details: Set<String> = ["cause", "offset", "expected", "found", "matched", "changed", "skipped"]

    private func words(_ value: JSONValue, in record: String = "", under key: String = "") -> String {
        switch value {
        case .object(let object):
            let record = object["recordName"]?.string ?? record
            let members = object.members.filter { member in
                guard key != "details" else {
                    return Self.details.contains(member.key) && (showsOffsets || member.key != "offset")
                }
                let isEmpty = member.value.object?.keys.allSatisfy { !Self.details.contains($0) } ?? false
                return !Self.left.contains(member.key) && (member.key != "details" || !isEmpty)
            }
            return "{"
                + members.map { member in
                    let name = alias(member.key)
                    if Self.hidden.contains(member.key) { return "\(name):…" }
                    if member.key == "recordChangeTag" {
                        return "\(name):\(number(member.value.string ?? "", of: "tag of " + record))"
                    }
                    return "\(name):" + words(member.value, in: record, under: member.key)
                }.joined(separator: ",") + "}"
        case .array(let values): return "[" + values.map { words($0, in: record) }.joined(separator: ",") + "]"
        case .string(let text): return alias(text)
        // Times of this run; those of tests are earlier.
        case .integer(let number) where number > 1_780_000_000_000: return "now"
        default: return String(decoding: value.bytes, as: UTF8.self)
        }
    }

    private func alias(_ text: String) -> String {
        UserRecordName(text) == nil ? text : "user\(number(text, of: "user"))"
    }

    private func number(_ text: String, of kind: String) -> Int {
        let known = aliases[kind, default: [:]]
        let number = known[text] ?? known.count + 1
        aliases[kind, default: [:]][text] = number
        return number
    }
}

/// The same numbers each time (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
