import Cryptography
import RecordModel
import RecordWire
import Testing

@testable import RecordEngine

@Suite struct WebAuthTokenCacheTests {
    @Test func `a web auth token is made once in a minute, and opened once`() async throws {
        let test = try TestDatabase()
        let accounts = [try await test.signUp("ann").session, try await test.signUp("bob").session]
        var tokens: [WebAuthToken] = []
        let cache = test.reader.webAuthTokens
        for (session, name) in zip(accounts, ["ann", "bob"]) {
            let text = try await test.database.webSessions.signIn(
                try Credentials(name: name, password: "correct horse"),
                account: try test.reader.accounts.lookUp(session.user.id), label: nil, staysSignedIn: false)
            tokens.append(try #require(cache.open(text)))
            #expect(cache.open(text) == WebAuthToken(text, of: test.database))
            #expect(cache.open(text + "A") == nil && cache.open(text + "A") == nil)
        }
        let first = cache.text(of: tokens[0], now: 60_000)
        #expect(cache.text(of: tokens[0], now: 119_999) == first)
        let next = cache.text(of: tokens[0], now: 120_000)
        // A clock that was set back makes a new one.
        let earlier = cache.text(of: tokens[0], now: 60_000)
        let other = cache.text(of: tokens[1], now: 60_000)
        #expect(Set([first, next, earlier, other]).count == 4)
        for text in [first, next, earlier] { #expect(cache.open(text) == tokens[0]) }
        // The cache is bounded; what it has dropped is opened and made again.
        for number in 0..<2_500 {
            let token = WebAuthToken(session: SHA256.hash(utf8: "\(number)"))
            #expect(cache.open(cache.text(of: token, now: 60_000)) == token)
        }
        #expect(cache.open(first) == tokens[0] && cache.open(cache.text(of: tokens[1], now: 60_000)) == tokens[1])
    }
}
