import HTTP
import RecordWire
import Testing

@testable import RecordAPI

/// Paths that no route has, and nearly are one.
@Suite struct WrongPathTests {
    @Test(arguments: ["", "/fog"])
    func `a trailing slash is redirected to the path without it`(_ base: String) async throws {
        let test = try await TestDatabase.make(withUsers: false) {
            $0.publicURL = base.isEmpty ? nil : try? PublicURL("https://db.example" + base)
        }
        for (path, right) in [
            ("/records/Post/", "/records/Post"), ("/records/Post/?limit=5&fields=a", "/records/Post?limit=5&fields=a"),
            ("/records/Post/a%2Fb/?x", "/records/Post/a%2Fb?x"), ("/openapi.json/", "/openapi.json"),
            ("/users/me/", "/users/me"), ("/health/ready/", "/health/ready"),
        ] {
            for method in [HTTPMethod.get, .head] {
                let response = await test.call(method, path)
                #expect(response.status == 308 && response.bytes.isEmpty, "\(path) \(response.status)")
                #expect(response.field("Location") == base + right)
            }
        }
    }

    @Test func `the right path is named as clients know it`() async throws {
        let test = try await TestDatabase.make(withUsers: false) {
            $0.publicURL = try? PublicURL("https://db.example/fog")
        }
        let response = await test.call(.get, "/Records/Post")
        #expect(response.json?["details"]?["path"]?.string == "/fog/records/Post", "\(response.text)")
    }

    @Test func `an error names the right path if a request cannot be redirected`() async throws {
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
            let response = await test.call(method, path)
            #expect(response.status == 404 && response.cause == "UNKNOWN_ROUTE", "\(path): \(response.text)")
            guard !right.isEmpty else {
                #expect(response.json?["details"]?["path"] == nil)
                continue
            }
            #expect(response.json?["reason"]?.string?.contains(says) == true, "\(path): \(response.text)")
            #expect(response.json?["details"]?["path"]?.string == right, "\(path): \(response.text)")
        }
    }
}
