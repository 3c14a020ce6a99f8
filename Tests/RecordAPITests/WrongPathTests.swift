import HTTP
import RecordWire
import Testing

@testable import RecordAPI

/// Paths that no route has, and nearly are one.
@Suite struct WrongPathTests {
    @Test(arguments: ["", "/fog"])
    func `a slash at the end of a path is taken off by a redirection`(_ base: String) async throws {
        let test = try await TestDatabase.make(withUsers: false) {
            $0.publicURL = base.isEmpty ? nil : try? PublicURL("https://db.example" + base)
        }
        for (path, right) in [
            ("/records/Post/", "/records/Post"), ("/records/Post/?limit=5&fields=a", "/records/Post?limit=5&fields=a"),
            ("/records/Post/a%2Fb/?x", "/records/Post/a%2Fb?x"), ("/openapi.json/", "/openapi.json"),
            ("/users/me/", "/users/me"), ("/health/ready/", "/health/ready"),
        ] {
            for method in [HTTPMethod.get, .head] {
                let answer = await test.call(method, path)
                #expect(answer.status == 308 && answer.bytes.isEmpty, "\(path) \(answer.status)")
                #expect(answer.field("Location") == base + right)
            }
        }
    }

    @Test func `the right path is named as clients know it`() async throws {
        let test = try await TestDatabase.make(withUsers: false) {
            $0.publicURL = try? PublicURL("https://db.example/fog")
        }
        let answer = await test.call(.get, "/Records/Post")
        #expect(answer.json?["details"]?["path"]?.string == "/fog/records/Post", "\(answer.text)")
    }

    @Test func `what cannot be redirected is told the right path`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        for (method, path, says, right) in [
            (HTTPMethod.post, "/records/Post/", "slash at its end", "/records/Post"),
            (.put, "/records/Post/a/", "slash at its end", "/records/Post/a"),
            (.delete, "/query/Post/?all=true", "slash at its end", "/query/Post"),
            (.get, "/records/Post//", "slash at its end", "/records/Post"),
            (.get, "//records/Post", "two slashes", "/records/Post"),
            (.get, "/records//Post", "two slashes", "/records/Post"),
            (.post, "//evil.example/", "", ""), (.get, "/assets/", "slash at its end", "/assets"),
            (.get, "/Records/Post", "capital letters", "/records/Post"),
            (.post, "/SESSIONS", "capital letters", "/sessions"),
            (.get, "/fog/records/Post", "public.url", "/records/Post"),
            (.get, "/a/b/health/live", "public.url", "/health/live"),
        ] {
            let answer = await test.call(method, path)
            #expect(answer.status == 404 && answer.cause == "UNKNOWN_ROUTE", "\(path): \(answer.text)")
            guard !right.isEmpty else {
                #expect(answer.json?["details"]?["path"] == nil)
                continue
            }
            #expect(answer.json?["reason"]?.string?.contains(says) == true, "\(path): \(answer.text)")
            #expect(answer.json?["details"]?["path"]?.string == right, "\(path): \(answer.text)")
        }
    }
}
