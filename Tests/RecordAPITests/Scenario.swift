import HTTP
import RecordWire
import TestSupport
import Testing

/// One row of a table: the caller, the request, and the texts that the response must and must not contain.
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
    /// Plays rows in order.
    func play(_ rows: [Scenario]) async {
        for row in rows {
            let response = await call(row.method, row.target, as: row.who, body: row.body, headers: row.headers)
            #expect(response.status == row.status, "\(row.name): \(response.text)")
            for part in row.contains { #expect(response.text.contains(filled(part)), "\(row.name): \(response.text)") }
            for part in row.lacks { #expect(!response.text.tells(filled(part)), "\(row.name): \(response.text)") }
            if response.status >= 400 { checkErrorShape(response, row.name) }
        }
    }

    /// Every rejection has the same shape.
    func checkErrorShape(_ response: Response, _ name: String) {
        // A message that is no request may be CloudKit's, so its error has a UUID.
        let ids = ["request-1", CloudKitUUID.text(ofRequest: "request-1")]
        #expect(ids.contains(response.json?["uuid"]?.string ?? ""), "\(name): \(response.text)")
        #expect(response.code != nil, "\(name): \(response.text)")
        #expect(response.json?["reason"]?.string?.isEmpty == false, "\(name): \(response.text)")
        #expect(response.field("Content-Type") == "application/json", "\(name)")
        #expect((response.status == 401) == (response.field("WWW-Authenticate") != nil), "\(name)")
        #expect((response.status == 405) == (response.field("Allow") != nil), "\(name)")
    }
}
