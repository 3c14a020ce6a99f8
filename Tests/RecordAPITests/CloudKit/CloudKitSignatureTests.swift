import Cryptography
import Encodings
import Foundation
import HTTP
import RecordModel
import RecordWire
import Testing

@testable import RecordAPI

/// Requests signed by server-to-server keys.
@Suite struct CloudKitSignatureTests {
    private static let caller = "\(CloudKitClient.root)/public/users/caller"

    @Test func `the account of the key is the caller`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let response = try await client.signed(.get, "public/users/caller")
        await client.settle()
        let keys = await client.test.call(.get, "/keys", as: .administrator)
        let key = try #require(keys.json?["keys"]?.array?.first)
        #expect(response.json?["userRecordName"] == key["userRecordName"], "\(response.text)")
        #expect(response.json?["users"]?.array?.first?["userRecordName"] == key["userRecordName"])
        #expect(key["kind"] == "serverToServer" && key["prefix"] == nil && key["usedAt"] != nil, "\(keys.text)")
        #expect(response.field("X-Apple-CloudKit-Web-Auth-Token") == nil)
    }

    @Test func `a body, a query and each form of an empty body's hash can be signed`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let body = #"{"a":1}"#
        #expect(try await client.signed(.post, "public/users/caller", body: body).status == 200)
        let query = "\(Self.caller)?ckjsVersion=2.6.1&clientId=%41b"
        for (target, fields) in [
            (Self.caller, try client.fields(Self.caller, hash: "")),
            (Self.caller, try client.fields(Self.caller, hash: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")),
            // CloudKit JS signs the query too, as it sends it.
            (query, try client.fields(query)), (query, try client.fields(Self.caller)),
        ] {
            let response = await client.test.call(.get, target, headers: fields)
            #expect(response.status == 200, "\(target): \(response.text)")
        }
    }

    @Test func `a raw signature of 64 bytes is accepted`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        var fields = try client.fields(Self.caller)
        let der = try #require(Base64.decode(fields[2].1))
        fields[2].1 = Base64.encode(Self.numbers(der))
        #expect(await client.test.call(.get, Self.caller, headers: fields).status == 200)
    }

    /// The numbers r and s of a DER signature, 32 bytes each.
    private static func numbers(_ der: [UInt8]) -> [UInt8] {
        var (result, index) = ([UInt8](), 2)
        while index + 1 < der.count {
            let count = Int(der[index + 1])
            let number = der[(index + 2)..<(index + 2 + count)].drop { $0 == 0 }
            result += [UInt8](repeating: 0, count: 32 - number.count) + number
            index += 2 + count
        }
        return result
    }

    @Test(arguments: [(-601.0, 401), (-590, 200), (590, 200), (605, 401)])
    func `the date may be ten minutes off`(_ seconds: Double, _ status: Int) async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let fields = try client.fields(Self.caller, seconds: seconds)
        let response = await client.test.call(.get, Self.caller, headers: fields)
        #expect(response.status == status, "\(response.text)")
    }

    @Test func `every failure has the same response`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let good = try client.fields(Self.caller)
        func with(_ index: Int, _ value: String?) -> [(String, String)] {
            var fields = good
            if let value { fields[index].1 = value } else { fields.remove(at: index) }
            return fields
        }
        let other = try RequestSigner()
        let date = good[1].1
        let strange = Base64.encode(
            try other.sign("\(date):47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:\(Self.caller)"))
        let revoked = try await Self.revokedKey(client)
        var texts: Set<String> = []
        for (name, fields, body) in [
            ("another key's signature", with(2, strange), nil), ("no signature", with(2, nil), nil),
            ("no date", with(1, nil), nil), ("no key", with(0, nil), nil),
            ("an unknown key", with(0, String(repeating: "a", count: 64)), nil), ("a short key", with(0, "a"), nil),
            ("no base64", with(2, "!"), nil), ("no time", with(1, "yesterday"), nil),
            ("another time", with(1, Date(timeIntervalSinceNow: 5).ISO8601Format()), nil),
            ("another body", good, "{}"), ("a field twice", good + [good[0]], nil),
            ("another path", try client.fields("/database/1/Forum/production/public/users/caller"), nil),
            ("a revoked key", revoked, nil),
        ] as [(String, [(String, String)], String?)] {
            let response = await client.test.call(.post, Self.caller, body: body, headers: fields)
            #expect(response.status == 401 && response.code == "AUTHENTICATION_FAILED", "\(name): \(response.text)")
            texts.insert(response.text)
        }
        #expect(texts.count == 1, "\(texts)")
        // The path is part of the message, the method is not.
        #expect(await client.test.call(.post, Self.caller, headers: good).status == 200)
        #expect(
            await client.test.call(.get, "\(CloudKitClient.root)/public/users/current", headers: good).status == 401)
    }

    /// The fields of a request that a revoked key has signed.
    private static func revokedKey(_ client: CloudKitClient) async throws -> [(String, String)] {
        let signer = try RequestSigner()
        let pem = String(decoding: JSONValue.string(try signer.publicKey().pem).bytes, as: UTF8.self)
        let body = #"{"name":"old","scope":{"readOnly":true},"publicKey":\#(pem)}"#
        let made = await client.test.call(.post, "/keys", as: .administrator, body: body)
        let (id, keyID) = (made.json?["id"]?.string ?? "", made.json?["keyID"]?.string ?? "")
        let date = Date().ISO8601Format()
        let signature = Base64.encode(try signer.sign("\(date)::\(caller)"))
        let fields = [
            ("X-Apple-CloudKit-Request-KeyID", keyID), ("X-Apple-CloudKit-Request-ISO8601Date", date),
            ("X-Apple-CloudKit-Request-SignatureV1", signature),
        ]
        #expect(await client.test.call(.get, caller, headers: fields).status == 200)
        #expect(await client.test.call(.delete, "/keys/\(id)", as: .administrator).status == 204)
        let again = await client.test.call(
            .post, "/keys", as: .administrator, body: body.replacing(#""old""#, with: #""new""#))
        #expect(again.status == 409 && again.code == "EXISTS", "\(again.text)")
        return fields
    }

    @Test func `a request with an API token and a signature is rejected`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let response = await client.call(.get, "public/users/caller", headers: try client.fields(Self.caller))
        #expect(response.status == 401 && response.code == "AUTHENTICATION_FAILED", "\(response.text)")
    }

    @Test func `public keys of other kinds, private keys and scopes with rights are rejected`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        let pem = try RequestSigner().publicKey().pem
        for (name, key, scope, part) in [
            ("text", "abc", #"{"readOnly":true}"#, "BEGIN PUBLIC KEY"),
            ("private", pem.replacing("PUBLIC", with: "EC PRIVATE"), #"{"readOnly":true}"#, "private key"),
            ("rights", pem, #"{"readOnly":true,"rights":["manageKeys"]}"#, "permissions on records only"),
        ] {
            let body = JSONValue.object(
                JSONObject([
                    ("name", .string(name)), ("publicKey", .string(key)),
                    ("scope", try JSONValue.parse(Array(scope.utf8))),
                ]))
            let response = await test.call(
                .post, "/keys", as: .administrator, body: String(decoding: body.bytes, as: UTF8.self))
            #expect(response.status == 400 && response.text.contains(part), "\(name): \(response.text)")
        }
    }

    @Test func `a server-to-server key has no token to rotate, and gets no rights later`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let keys = await client.test.call(.get, "/keys", as: .administrator)
        let id = try #require(keys.json?["keys"]?.array?.first?["id"]?.string)
        let rotated = await client.test.call(.post, "/keys/\(id)/rotate", as: .administrator)
        #expect(rotated.status == 400, "\(rotated.text)")
        let changed = await client.test.call(
            .patch, "/keys/\(id)", as: .administrator, body: #"{"scope":{"rights":["manageUsers"]}}"#)
        #expect(changed.status == 400, "\(changed.text)")
    }
}
