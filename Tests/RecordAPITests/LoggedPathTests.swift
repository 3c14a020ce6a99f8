import HTTP
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// What logs show of paths.
@Suite struct LoggedPathTests {
    private static let secret = "aGVsbG8td29ybGQtc2VjcmV0"

    @Test(arguments: [
        // Preflights, wrong methods and unknown routes below the right path.
        ("/shares/$", "/shares/*"), ("/shares/$/accept", "/shares/*"), ("/assets/$/a.jpg", "/assets/*"),
        ("/device/1/Forum/development/notifications/$", "/device/*"),
        ("/database/1/Forum/development/public/assets/upload/$", "/database/1/Forum/development/public/assets/*"),
        // Wrong case, misspelled words, prefixes, slashes, dots and encodings.
        ("/SHARES/$", "/SHARES/*"), ("/Assets/short", "/Assets/*"), ("/share/short", "/share/*"),
        ("/fog/device/1/Forum/development/notifications/$", "/fog/device/*"), ("//shares//short", "//shares/*"),
        ("/shares./short", "/shares./*"), ("/shares;v=1/short", "/*"), ("/%73hares/short", "/%73hares/*"),
        ("/%2573hares/short", "/%2573hares/*"), ("/shares%2Fshort", "/*"), ("/shares%252Fshort", "/*"),
        ("/shares%25252Fshort", "/*"), ("/shares%2525252Fshort", "/*"), ("/x/%ZZ/short", "/x/*"),
        ("/shares.short", "/*"), ("/shares\\short", "/*"), ("/shares short", "/*"),
        // A secret without its word.
        ("/1/Forum/development/notifications/$", "/1/Forum/development/notifications/*"), ("/$", "/*"),
        ("/%61GVsbG8td29ybGQtc2VjcmV0", "/*"),
        // A secret with other characters around it, as a pasted link has.
        ("/s/$=", "/s/*"), ("/s/$.", "/s/*"), ("/s/$,", "/s/*"), ("/s/$~", "/s/*"), ("/a:$", "/*"), ("/a=$", "/*"),
        ("/a+$", "/*"), ("/(x.$)", "/*"),
        (String(repeating: "/x", count: 20), String(repeating: "/x", count: 16) + "/*"),
        // What helps to find a mistake.
        ("/nothing/here", "/nothing/here"), ("/fog/records/Post/p1", "/fog/records/Post/p1"),
        ("/assets", "/assets"), ("/fog/assets", "/fog/assets"), ("/", "/"), ("*", "*"), ("", ""),
        ("/records/Post/a%20b", "/records/Post/a%20b"),
    ])
    func `a path without a route shows no secret`(_ path: String, _ shown: String) {
        let path = path.replacing("$", with: Self.secret)
        #expect(LoggedPath.ofUnmatched(path) == shown)
    }

    private static let secretPaths = [
        "/shares/$", "/SHARES/$", "/shares/$/accept", "/assets/$", "/Assets/$", "//assets/$", "/fog/assets/$",
        "/fog/device/1/Forum/development/notifications/$", "/Device/1/Forum/development/notifications/$",
        "/device/1/Forum/development/notifications/$", "/device/1/Forum/development/notification/$",
        "/database/1/Forum/development/public/assets/upload/$", "/shares/$?x=1", "/assets/$?expires=1&signature=x",
    ]

    @Test(arguments: [HTTPMethod.get, .put, .post, .delete, .options, .head, .patch])
    func `no method and no spelling brings a secret into the list of requests`(_ method: HTTPMethod) async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for path in Self.secretPaths {
            let path = path.replacing("$", with: Self.secret)
            await database.call(method, path, body: method == .get || method == .head ? nil : "{}")
        }
        let log = await database.call(.get, "/requests", as: .administrator)
        #expect(log.json?["requests"]?.array?.count == Self.secretPaths.count, "\(log.text)")
        #expect(!log.text.contains(Self.secret), "\(log.text)")
    }

    /// Developers do not read private databases, and names in them may be e-mail addresses or titles.
    @Test func `names in private databases are for owners`() async throws {
        let database = try await TestDatabase.make()
        let made = await database.call(
            .post, "/administrators", as: .administrator,
            body: #"{"name":"dev","password":"correct horse dev","role":"developer"}"#)
        try #require(made.status == 201, "\(made.text)")
        let session = await database.call(
            .post, "/administrators/sessions", body: #"{"name":"dev","password":"correct horse dev"}"#)
        let developer = try #require(session.json?["token"]?.string)
        let targets: [(HTTPMethod, String)] = [
            (.get, "/records/Note/diary1?database=private"), (.put, "/records/Note/diary2?database=private"),
            (.post, "/records/Note/diary3?database=private"), (.get, "/zones/diary4?database=private"),
            (.get, "/zones/diary5"), (.get, "/records/Note/diary6?database=shared&zone=x&owner={creator}"),
            (.get, "/records/Note/diary7?database=Private"), (.get, "/records/Note/diary8?databas=private"),
            (.options, "/zones/diary13"), (.get, "/Zones/diary14"), (.get, "/records/Note/diary9?database=%ff"),
            (.get, "/Records/Note/diary10?database=private"),
            (.options, "/records/Note/diary11?Database=private"), (.get, "/records/Note/diary12?zone=x"),
        ]
        for (method, target) in targets {
            await database.call(method, target, as: .creator, body: method == .put ? #"{"fields":{}}"# : nil)
        }
        await database.call(.get, "/records/Note/open?database=public", as: .creator)
        // The transport leaves out long parameters, such as that of a database.
        let rejected = ["/zones/diary15", "/records/Note/diary16?database=private", "/records/Note/diary17?"]
        for target in rejected { _ = await database.reject(HTTPRejection(.uriTooLong, "Long."), .get, target) }
        let seen = await database.call(.get, "/requests", token: developer)
        #expect(seen.json?["requests"]?.array?.count ?? 0 >= targets.count, "\(seen.text)")
        #expect(!seen.text.contains("diary"), "\(seen.text)")
        #expect(seen.text.contains("/records/Note/open") && seen.text.contains("/records/{type}/{name}"))
        // A filter must not tell either.
        let guess = await database.call(.get, "/requests?path=diary", token: developer)
        #expect(guess.json?["requests"]?.array?.isEmpty == true, "\(guess.text)")
        let all = await database.call(.get, "/requests?path=diary", as: .administrator)
        #expect(all.json?["requests"]?.array?.count == targets.count + rejected.count, "\(all.text)")
        // Nor does the sentence of an error.
        let body = #"{"fields":{"to":{"value":{"recordName":"diary18","action":"VALIDATE"}}}}"#
        let wrong = await database.call(.put, "/records/Note/n?database=private", as: .creator, body: body)
        #expect(wrong.status >= 400 && wrong.text.contains("diary18"), "\(wrong.text)")
        let reasons = await database.call(.get, "/requests?status=4xx", token: developer)
        #expect(!reasons.text.contains("diary"), "\(reasons.text)")
        #expect(reasons.text.contains(#""error":{"serverErrorCode":"VALIDATING_REFERENCE_ERROR"}"#), "\(reasons.text)")
        let owners = await database.call(.get, "/requests?status=4xx", as: .administrator)
        #expect(owners.text.contains("diary18"), "\(owners.text)")
    }
}
