import Foundation
import RecordAPI
import Testing

/// The holes that servers of this kind have had, by number, and where this one is shown not to have them.
///
/// A number is in the tests of a suite here, in a suite elsewhere, or belongs to a feature that is not there yet: then no
/// route may have come with it.
@Suite struct PastVulnerabilitiesList {
    enum Place: Sendable {
        /// A suite of this directory, which names the number among its own.
        case here
        /// A file of tests, from the directory of all tests on.
        case elsewhere(String)
        /// Why it cannot apply, and words that no route may have.
        case notYet(String, words: [String])
    }

    /// Created on request: the leak sanitizer reports lists within a constant's cases as lost, since their addresses
    /// contain the case.
    static var entries: [(number: Int, idea: String, place: Place)] {
        [
            (1, "SQL through dotted names of fields in sort and where", .here),
            (2, "SQL through names in filters, groups and projections", .here),
            (3, "SQL through a sub-key of an increment", .here),
            (4, "filters against injection, passed by by encodings", .here),
            (5, "a protected field read by its sub-path", .here),
            (6, "protection passed by inside OR and AND, and by the wrong JSON type", .here),
            (7, "feeds that leak hidden fields, or forget who asks", .here),
            (8, "hidden data guessed by patterns", .here),
            (9, "convenience routes that skip what the generic one strips", .here),
            (10, "secrets in answers to signing in", .here),
            (11, "null in a field of the server's", .here),
            (12, "a read-only key that writes", .here),
            (13, "tokens of another place", .here),
            (14, "a one-time token used twice at once", .here),
            (15, "the time of a sign-in tells who has an account", .here),
            (16, "a batch goes around the rate limit", .here),
            (17, "a field of the client's choice in the key of a limit", .here),
            (18, "stored script as a file", .here),
            (19, "a crash by a bad range", .here),
            (20, "encoded path traversal", .here),
            (21, "a header that takes a matcher for ever", .here),
            (22, "a query that takes for ever", .here),
            (23, "a crash by a malformed request for a file", .here),
            (24, "names that a language reserves", .here),
            (
                25, "an account that was registered beforehand keeps access after linking",
                .notYet(
                    "accounts are not linked with anything",
                    words: ["link", "oauth", "identit", "apple", "google"])
            ),
            (26, "links from the Host of a request", .here),
            (27, "a suspended account's token goes on working", .here),
            (
                28, "requests to addresses inside, past the filter",
                .elsewhere("HTTPSendingTests/AddressPolicyTests.swift")
            ),
            (29, "an open redirect in a login callback", .here),
            (30, "a token in a URL", .here),
            (
                31, "an unverified address is trusted",
                .notYet("accounts have no addresses", words: ["mail", "verif", "reset", "phone"])
            ),
            (32, "tokens outlive a change of the password", .here),
            (33, "no limit on fields, and smuggling by a malformed Transfer-Encoding", .here),
            (34, "the first commit after a reset of the log is not synced", .elsewhere("powercut")),
        ]
    }

    private static let here: [[Int]] = [
        PastInjections.numbers, PastLeaks.numbers, PastEscalations.numbers, PastTokens.numbers,
        PastFloods.numbers,
        PastFiles.numbers, PastParsing.numbers,
    ]

    @Test func `each number has its place`() {
        #expect(Self.entries.map(\.number) == Array(1...34))
        let found = Self.here.flatMap { $0 }
        #expect(Set(found).count == found.count)
        for entry in Self.entries {
            switch entry.place {
            case .here: #expect(found.contains(entry.number), "\(entry.number): \(entry.idea)")
            case .elsewhere(let path):
                let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent()
                #expect(
                    FileManager.default.fileExists(atPath: tests.appending(path: path).path),
                    "\(entry.number)")
            case .notYet(let reason, let words):
                // A reset of the schema resets no password.
                for route in RouteTable.native.routes where "\(route.id)" != "resetSchema" {
                    for word in words {
                        #expect(
                            !"\(route.name)".lowercased().contains(word), "\(entry.number) does apply now: \(reason)")
                    }
                }
            }
        }
    }
}
