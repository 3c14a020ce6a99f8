import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// The credentials of CloudKit Web Services: each kind with each database, right and wrong.
@Suite struct CloudKitCredentialTests {
    /// How a request authenticates.
    enum Way: String, CaseIterable {
        case none, wrongToken, webTokenAlone, token, user, wrongUser, key
    }

    private func call(_ client: CloudKitClient, _ way: Way, _ operation: String, user: String) async throws -> Response
    {
        let path = "\(CloudKitClient.root)/\(operation)"
        switch way {
        case .none: return await client.test.call(.get, path)
        case .wrongToken:
            return await client.test.call(.get, "\(path)?ckAPIToken=\(String(repeating: "0", count: 64))")
        case .webTokenAlone: return await client.test.call(.get, "\(path)?ckWebAuthToken=\(user)")
        case .token: return await client.call(.get, operation)
        case .user: return await client.call(.get, operation, user: user)
        case .wrongUser: return await client.call(.get, operation, user: "A" + user.dropFirst())
        case .key: return try await client.signed(.get, operation)
        }
    }

    @Test func `each credential has its status in each database`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        // In the order of the cases of `Way`.
        for (operation, statuses) in [
            ("public/users/caller", [401, 401, 401, 421, 200, 421, 200]),
            ("private/users/caller", [401, 401, 401, 421, 200, 421, 401]),
            ("shared/users/caller", [401, 401, 401, 421, 200, 421, 401]),
            ("public/users/current", [401, 401, 401, 421, 200, 421, 200]),
            ("private/users/current", [401, 401, 401, 421, 200, 421, 401]),
            ("public/users/discover", [401, 401, 401, 421, 200, 421, 401]),
            ("private/users/discover", [401, 401, 401, 421, 400, 421, 401]),
        ] {
            for (way, status) in zip(Way.allCases, statuses) {
                let response = try await call(client, way, operation, user: user)
                #expect(response.status == status, "\(operation) \(way): \(response.text)")
                #expect(response.field("Content-Type") == "application/json; charset=UTF-8")
                guard status >= 400 else { continue }
                let code = [400: "BAD_REQUEST", 401: "AUTHENTICATION_FAILED", 421: "AUTHENTICATION_REQUIRED"][status]
                #expect(response.code == code, "\(operation) \(way): \(response.text)")
                #expect(
                    response.json?["uuid"] == CloudKitClient.uuid && response.json?["reason"]?.string?.isEmpty == false)
                #expect((response.json?["redirectURL"] != nil) == (status == 421), "\(operation) \(way)")
                #expect(response.json?["details"] == nil, "\(response.text)")
            }
        }
        for (operation, status, reason) in [
            ("public/users/discover", 401, "A server-to-server key is no user"),
            ("public/users/lookup/id", 401, "A server-to-server key is no user"),
            ("public/records/accept", 401, "A server-to-server key is no user"),
            ("private/users/current", 401, "A server-to-server key works in the public database only"),
            ("private/records/query", 401, "A server-to-server key works in the public database only"),
            ("public/changes/zone", 400, "endpoint not applicable in the database type 'publicdb'"),
            ("public/changes/database", 400, "endpoint not applicable in the database type 'publicdb'"),
            ("public/records/changes", 400, "endpoint not applicable in the database type 'publicdb'"),
            ("public/zones/changes", 400, "endpoint not applicable in the database type 'publicdb'"),
            ("public/zones/modify", 400, "endpoint not applicable in the database type 'publicdb'"),
        ] {
            let response = try await client.signed(.post, operation, body: "{}")
            #expect(response.status == status, "\(operation): \(response.text)")
            #expect(response.json?["reason"]?.string?.hasPrefix(reason) == true, "\(operation): \(response.text)")
        }
        let wrong = await client.call(.get, "shared/users/discover", user: user)
        #expect(wrong.json?["reason"] == "endpoint not applicable in the database type 'shareddb'")
    }

    @Test func `a key learns who it is from either operation`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        for method in [HTTPMethod.get, .post] {
            let caller = try await client.signed(method, "public/users/caller")
            let current = try await client.signed(method, "public/users/current")
            #expect(current.status == 200, "\(current.text)")
            let name = try #require(caller.json?["userRecordName"])
            #expect(current.json == ["userRecordName": name, "firstName": nil, "lastName": nil], "\(current.text)")
        }
    }

    @Test func `the environment may be in any case`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        for (environment, status) in [
            ("DEVELOPMENT", 200), ("Development", 200), ("PRODUCTION", 401), ("DEVELOPMENTS", 400),
        ] {
            let response = await client.test.call(
                .get,
                "/database/1/Forum/\(environment)/public/users/caller?ckAPIToken=\(client.token)&ckWebAuthToken=\(user)"
            )
            #expect(response.status == status, "\(environment): \(response.text)")
        }
        let path = "/database/1/Forum/DEVELOPMENT/public/users/caller"
        #expect(await client.test.call(.get, path, headers: try client.fields(path)).status == 200)
        let device = await client.test.call(
            .post, "/device/1/Forum/DEVELOPMENT/tokens/create?ckAPIToken=\(client.token)&ckWebAuthToken=\(user)",
            body: #"{"apnsEnvironment":"DEVELOPMENT"}"#)
        #expect(device.status == 200 && device.json?["apnsEnvironment"] == "development", "\(device.text)")
    }

    @Test func `a token of one environment is unknown in the other, and a native token is none`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let query = "?ckAPIToken=\(client.token)&ckWebAuthToken=\(user)"
        let production = await client.test.call(.get, "/database/1/Forum/production/public/users/caller\(query)")
        #expect(production.status == 401 && production.code == "AUTHENTICATION_FAILED")
        let bearer = await client.test.call(.get, "\(CloudKitClient.root)/public/users/caller", as: .administrator)
        #expect(bearer.status == 401)
        let session = await client.call(.get, "public/users/caller", user: client.test.tokens[.creator])
        #expect(session.status == 421, "\(session.text)")
        #expect(await client.test.call(.get, "/users/me", token: user).status == 401)
        #expect(await client.test.call(.get, "/users/me", token: client.token).status == 401)
    }

    @Test func `each response has a web auth token, and the earlier ones stay valid`() async throws {
        let client = try await CloudKitClient.make()
        let first = try await client.signIn()
        var tokens = [first]
        for operation in ["public/users/caller", "private/users/current", "private/users/discover"] {
            let response = await client.call(.get, operation, user: tokens[tokens.count - 1])
            let next = try #require(response.field("X-Apple-CloudKit-Web-Auth-Token"), "\(operation)")
            #expect(next != first)
            tokens.append(next)
        }
        // Tokens of two sessions differ, also those of one person.
        let second = try await client.signIn()
        let other = await client.call(.get, "public/users/caller", user: second)
        #expect(!tokens.contains(try #require(other.field("X-Apple-CloudKit-Web-Auth-Token"))))
        for token in tokens + tokens {
            #expect(await client.call(.get, "public/users/caller", user: token).status == 200)
        }
        // The error of a token that is not valid comes without a new one.
        let wrong = await client.call(.get, "public/users/caller", user: "x")
        #expect(wrong.status == 421 && wrong.field("X-Apple-CloudKit-Web-Auth-Token") == nil)
        #expect(await client.call(.get, "public/users/caller").field("X-Apple-CloudKit-Web-Auth-Token") == nil)
        // All tokens end with the session.
        let account = client.test.tokens[.creator] ?? ""
        #expect(await client.test.call(.delete, "/sessions?others=true", token: account).status == 204)
        for token in tokens {
            let ended = await client.call(.get, "public/users/caller", user: token)
            #expect(ended.status == 421 && ended.json?["redirectURL"] != nil, "\(ended.text)")
        }
    }

    @Test func `a session lasts 30 minutes, or two weeks for people who stay signed in`() async throws {
        let client = try await CloudKitClient.make()
        _ = try await client.signIn()
        _ = try await client.signIn(staysSignedIn: true)
        let account = client.test.tokens[.creator] ?? ""
        let sessions = await client.test.call(.get, "/sessions", token: account)
        let lifetimes = (sessions.json?["sessions"]?.array ?? []).filter { $0["label"] == "Web app" }.map { session in
            (session["expiresAt"]?.integer ?? 0) - (session["createdTimestamp"]?.integer ?? 0)
        }
        #expect(lifetimes.sorted() == [1_800_000, 14 * 86_400_000], "\(sessions.text)")
    }

    @Test func `a disabled user and a deleted API token are rejected`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let disabled = await client.test.call(
            .patch, "/users/{creator}", as: .administrator, body: #"{"disabled":true}"#)
        #expect(disabled.status == 200)
        #expect(await client.call(.get, "public/users/caller", user: user).status == 421)
        let deleted = await client.test.call(.delete, "/cloudkit/tokens/\(client.tokenID)", as: .administrator)
        #expect(deleted.status == 204)
        #expect(await client.call(.get, "public/users/caller", user: user).status == 401)
    }

    @Test func `the token is accepted percent-encoded, in upper case, and among unknown parameters`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let encoded = user.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let response = await client.test.call(
            .get,
            "\(CloudKitClient.root)/public/users/caller?ckjsBuildVersion=1902ProjectDev33&clientId=x&remapEnums=true"
                + "&ckWebAuthToken=\(encoded)&ckAPIToken=\(client.token.uppercased())")
        #expect(response.status == 200, "\(response.text)")
    }

    @Test func `the console's cookie is no credential, even if its session has ended`() async throws {
        let client = try await CloudKitClient.make()
        let headers = [("Cookie", "fogbase_console=x; __Host-fogbase_console=x"), ("Sec-Fetch-Site", "same-origin")]
        let response = await client.call(.get, "public/users/caller", headers: headers)
        #expect(response.status == 421, "\(response.text)")
    }

    @Test func `invalid credentials are counted, and too many are throttled`() async throws {
        let client = try await CloudKitClient.make { configuration in
            var limits = RateLimits()
            limits.auth = RateLimit(3, per: .hour, burst: 3)
            limits.clock = { 5_000_000_000_000 }
            configuration.rateLimits = limits
        }
        var statuses: [Int] = []
        for _ in 0..<5 {
            let path = "\(CloudKitClient.root)/public/users/caller?ckAPIToken=x"
            statuses.append(await client.test.call(.get, path, from: "192.0.2.7").status)
        }
        #expect(statuses == [401, 401, 401, 429, 429])
        let fields = try client.fields("/wrong")
        for status in [401, 401, 401, 429] {
            let response = await client.test.call(
                .get, "\(CloudKitClient.root)/public/users/caller", headers: fields, from: "192.0.2.8")
            #expect(response.status == status, "\(response.text)")
            if status == 429 {
                #expect(response.code == "THROTTLED" && (response.json?["retryAfter"]?.integer ?? 0) > 0)
                #expect(response.field("Retry-After") != nil)
            }
        }
    }

    @Test func `a development environment for members admits keys and users only`() async throws {
        let client = try await CloudKitClient.make(withUsers: false) { $0.isDevelopmentOpen = false }
        #expect(await client.call(.get, "public/users/caller").status == 421)
        #expect(try await client.signed(.get, "public/users/caller").status == 200)
    }
}
