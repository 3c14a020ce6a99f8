import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// The users operations of CloudKit Web Services.
@Suite struct CloudKitUserTests {
    /// Ann has names in her user record, which everyone may read.
    private func make(_ grants: String = #"{"_world":["READ"],"_creator":["WRITE"]}"#) async throws -> CloudKitClient {
        let client = try await CloudKitClient.make()
        let written = await client.test.call(
            .patch, "/records/Users/{creator}", as: .creator,
            body: #"{"fields":{"firstName":"Ann","lastName":"Müller","birthYear":1990}}"#)
        try #require(written.status == 200, "\(written.text)")
        let granted = await client.test.call(
            .put, "/grants/Users", as: .administrator, body: #"{"grants":\#(grants)}"#)
        try #require(granted.status == 200, "\(granted.text)")
        return client
    }

    @Test func `a caller learns its identity in both forms`() async throws {
        let client = try await make()
        let user = try await client.signIn()
        let ann = try #require(client.test.userNames[.creator])
        let caller = await client.call(.get, "public/users/caller", user: user)
        let identity: JSONValue = [
            "userRecordName": .string(ann), "nameComponents": ["givenName": "Ann", "familyName": "Müller"],
            "lookupInfo": ["userRecordName": .string(ann)],
        ]
        #expect(caller.json?["users"] == [identity], "\(caller.text)")
        #expect(caller.json?["nameComponents"] == identity["nameComponents"])
        #expect(caller.json?["userRecordName"]?.string == ann)
        for method in [HTTPMethod.get, .post] {
            let current = await client.call(method, "private/users/current", user: user)
            #expect(
                current.json == ["userRecordName": .string(ann), "firstName": "Ann", "lastName": "Müller"],
                "\(current.text)")
        }
    }

    @Test func `users whose records the caller may read are found by record name`() async throws {
        let client = try await make()
        let user = try await client.signIn()
        let (ann, bob) = (client.test.userNames[.creator] ?? "", client.test.userNames[.stranger] ?? "")
        let none = "_" + String(repeating: "0", count: 32)
        let infos = [bob, none, "x", ann].map { #"{"userRecordName":"\#($0)"}"# }.joined(separator: ",")
        let found = await client.call(
            .post, "public/users/discover", user: user,
            body: #"{"lookupInfos":[\#(infos),{"emailAddress":"a@b.org"},{"phoneNumber":"1"}]}"#)
        let names = found.json?["users"]?.array?.map { $0["userRecordName"]?.string }
        #expect(names == [bob, ann], "\(found.text)")
        #expect(found.json?["users"]?.array?[0]["nameComponents"] == [:], "\(found.text)")
        let byID = await client.call(.post, "public/users/lookup/id", user: user, body: #"{"users":[\#(infos)]}"#)
        #expect(
            byID.json?["users"] == [
                ["userRecordName": .string(bob), "firstName": nil, "lastName": nil],
                ["userRecordName": .string(ann), "firstName": "Ann", "lastName": "Müller"],
            ], "\(byID.text)")
        let byEmail = await client.call(
            .post, "public/users/lookup/email", user: user, body: #"{"users":[{"emailAddress":"a@b.org"}]}"#)
        #expect(byEmail.status == 200 && byEmail.json == ["users": []], "\(byEmail.text)")
        let all = await client.call(.get, "public/users/discover", user: user)
        #expect(all.status == 200 && all.json == ["users": []])
    }

    @Test func `users whose records the caller may not read are not found`() async throws {
        let client = try await make(#"{"_creator":["READ","WRITE"]}"#)
        let user = try await client.signIn()
        let (ann, bob) = (client.test.userNames[.creator] ?? "", client.test.userNames[.stranger] ?? "")
        let found = await client.call(
            .post, "public/users/discover", user: user,
            body: #"{"lookupInfos":[{"userRecordName":"\#(bob)"},{"userRecordName":"\#(ann)"}]}"#)
        #expect(found.json?["users"]?.array?.map { $0["userRecordName"]?.string } == [ann], "\(found.text)")
    }
}
