import HTTP
import RecordWire
import TestSupport
import Testing

/// One row of a table: who asks for what, and what must and must not come back.
struct Scenario: Sendable {
    let name: String
    let who: TestDatabase.Who
    let method: HTTPMethod
    let target: String
    var body: String?
    var headers: [(String, String)] = []
    let status: Int
    var contains: [String] = []
    var lacks: [String] = []

    init(
        _ name: String, _ who: TestDatabase.Who, _ method: HTTPMethod, _ target: String, _ body: String?,
        headers: [(String, String)] = [], _ status: Int, contains: [String] = [], lacks: [String] = []
    ) {
        self.name = name
        self.who = who
        self.method = method
        self.target = target
        self.body = body
        self.headers = headers
        self.status = status
        self.contains = contains
        self.lacks = lacks
    }

    /// Without a body.
    init(
        _ name: String, _ who: TestDatabase.Who, _ method: HTTPMethod, _ target: String,
        headers: [(String, String)] = [], _ status: Int, contains: [String] = [], lacks: [String] = []
    ) {
        self.init(
            name, who, method, target, nil, headers: headers, status, contains: contains, lacks: lacks)
    }
}

extension TestDatabase {
    /// Plays rows one after the other.
    func play(_ rows: [Scenario]) async {
        for row in rows {
            let answer = await call(row.method, row.target, as: row.who, body: row.body, headers: row.headers)
            #expect(answer.status == row.status, "\(row.name): \(answer.text)")
            for part in row.contains { #expect(answer.text.contains(filled(part)), "\(row.name): \(answer.text)") }
            for part in row.lacks { #expect(!answer.text.tells(filled(part)), "\(row.name): \(answer.text)") }
            if answer.status >= 400 { checkErrorShape(answer, row.name) }
        }
    }

    /// Every refusal has the one shape.
    func checkErrorShape(_ answer: Answer, _ name: String) {
        #expect(answer.json?["uuid"]?.string == "request-1", "\(name): \(answer.text)")
        #expect(answer.code != nil, "\(name): \(answer.text)")
        #expect(answer.json?["reason"]?.string?.isEmpty == false, "\(name): \(answer.text)")
        #expect(answer.field("Content-Type") == "application/json", "\(name)")
        #expect((answer.status == 401) == (answer.field("WWW-Authenticate") != nil), "\(name)")
        #expect((answer.status == 405) == (answer.field("Allow") != nil), "\(name)")
    }
}
