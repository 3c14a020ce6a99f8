import Testing
import Threads

@testable import fogbase

@Suite struct RejectedOriginsTests {
    private func lines(_ origins: [String], own: String? = nil) -> [String] {
        let lines = Locked<[String]>([])
        let rejected = RejectedOrigins(own: own) { line in lines.withLock { $0.append(line) } }
        for origin in origins { rejected.note(origin) }
        return lines.withLock { $0 }
    }

    @Test func `each origin gets one line that says what to do`() throws {
        let found = lines([
            "http://localhost:5173", "http://localhost:5173", "https://app.example", "http://localhost:5173",
        ])
        #expect(found.count == 2)
        #expect(found[0].contains("http://localhost:5173") && found[0].contains("cors.origins"))
        #expect(found[1].contains("https://app.example"))
    }

    @Test func `a local file is told apart`() throws {
        #expect(lines(["null", "null"]).count == 1)
        #expect(lines(["null"])[0].contains("local file"))
    }

    @Test(arguments: [
        "*", "https://*.example.org", "http://localhost:*", "https://a.example/path", "https://a.example\u{1B}[2J",
        "words of mine", "", "file:///etc", "https://" + String(repeating: "a", count: 400) + ".example",
        "https://APP.example",
    ])
    func `a text that no browser sends is not written`(_ origin: String) {
        #expect(lines([origin]) == [])
    }

    @Test func `the origin of the public address is this server's own`() {
        #expect(lines(["https://db.example"], own: "https://db.example") == [])
    }

    @Test func `the number of lines has a limit, and the last one says so`() throws {
        let found = lines((1...100).map { "https://app\($0).example" })
        #expect(found.count == RejectedOrigins.limit + 1)
        #expect(found.last?.contains("not logged") == true)
    }
}
