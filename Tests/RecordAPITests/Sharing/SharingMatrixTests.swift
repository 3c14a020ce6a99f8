import HTTP
import RecordWire
import TestSupport
import Testing

/// Every person, by its relation to the share, on every route that reads or writes records: what the person may do,
/// and that no response contains what is not shared.
@Suite struct SharingMatrixTests {
    /// A request, and the statuses for owner, reader, writer, invited, removed, stranger and anonymous.
    private struct Row {
        let method: HTTPMethod
        let path: String
        var body: String?
        let statuses: [Int]
    }

    private static let readers = [200, 200, 200, 404, 404, 404, 401]
    private static let ofWriters = [200, 403, 200, 404, 404, 404, 401]
    private static let hidden = [200, 404, 404, 404, 404, 404, 401]

    private static let rows: [Row] = [
        Row(method: .get, path: "/records/Item", statuses: readers),
        Row(method: .get, path: "/records/Item/milk", statuses: readers),
        Row(method: .get, path: "/records/Item/hidden", statuses: hidden),
        Row(method: .get, path: "/records/cloudkit.share/share", statuses: readers),
        Row(method: .get, path: "/query/Item?where=title%20BEGINSWITH%20'secret'", statuses: readers),
        Row(method: .get, path: "/query/Item?sort=-title&count=true", statuses: readers),
        Row(
            method: .post, path: "/query", body: #"{"recordType":"Item","aggregate":{"values":["count"]}}"#,
            statuses: readers),
        Row(method: .post, path: "/query", body: #"{"recordType":"Item","where":"title != 'x'"}"#, statuses: readers),
        Row(method: .get, path: "/changes", statuses: readers),
        Row(
            method: .patch, path: "/records/Item/milk", body: #"{"fields":{"title":"Milk"}}"#, statuses: ofWriters),
        Row(
            method: .patch, path: "/records/Item/hidden", body: #"{"fields":{"title":"secret"}}"#, statuses: hidden),
        Row(
            method: .patch, path: "/query/Item?where=title%3D%3D'x'", body: #"{"fields":{"title":"secret"}}"#,
            statuses: [200, 200, 200, 404, 404, 404, 401]),
        Row(
            method: .post, path: "/records",
            body:
                #"{"atomic":false,"operations":[{"operationType":"forceUpdate","record":{"recordType":"Item","recordName":"hidden","fields":{}}}]}"#,
            statuses: readers),
        Row(
            method: .put, path: "/records/Item/new",
            body: #"{"fields":{"title":"New"},"parent":{"recordName":"home"}}"#,
            statuses: [201, 403, 201, 404, 404, 404, 401]),
        Row(
            method: .put, path: "/records/Item/stray", body: #"{"fields":{"title":"secret"}}"#,
            statuses: [201, 403, 403, 404, 404, 404, 401]),
        Row(
            method: .patch, path: "/records/cloudkit.share/share",
            body: #"{"fields":{},"publicPermission":"READ_ONLY"}"#,
            statuses: [200, 403, 403, 404, 404, 404, 401]),
        Row(method: .post, path: "/assets", body: "", statuses: [201, 403, 201, 404, 404, 404, 401]),
        Row(method: .delete, path: "/records/Item/hidden", statuses: [204, 404, 404, 404, 404, 404, 401]),
        Row(method: .delete, path: "/records/Item/fresh", statuses: [204, 403, 204, 404, 404, 404, 401]),
        Row(method: .delete, path: "/zones/_defaultZone", statuses: [400, 400, 400, 404, 404, 404, 401]),
    ]

    @Test func `people do on the native routes what their share permits`() async throws {
        for row in Self.rows {
            var world: SharedWorld?
            for (person, status) in zip(SharedWorld.Person.allCases, row.statuses) {
                // A write that succeeds changes what the next person finds.
                if row.method != .get || world == nil { world = try await SharedWorld.make() }
                guard let world else { return }
                let separator = row.path.contains("?") ? "&" : "?"
                let response = await world.call(
                    row.method, row.path + separator + world.place(person), as: person, body: row.body)
                let what = "\(row.method) \(row.path) as \(person): \(response.text)"
                #expect(response.status == status, "\(what)")
                if person != .owner { #expect(!response.text.contains("secret"), "\(what)") }
            }
        }
    }

    /// The result of each operation for owner, reader, writer, invited, removed, stranger and anonymous: the error code of
    /// the response or of its first item; `nil` for success.
    private static let operations: [(operation: String, body: String, codes: [String?])] = [
        ("records/lookup", #"{"records":[{"recordName":"milk"}],"zoneID":ZONE}"#, found),
        ("records/lookup", #"{"records":[{"recordName":"hidden"}],"zoneID":ZONE}"#, missing),
        (
            "records/query",
            #"{"query":{"recordType":"Item","sortBy":[{"fieldName":"title","ascending":false}]},"zoneID":ZONE}"#, found
        ),
        ("changes/zone", #"{"zones":[{"zoneID":ZONE}]}"#, found),
        ("records/changes", #"{"zoneID":ZONE}"#, found),
        ("zones/lookup", #"{"zones":[{"zoneID":ZONE}]}"#, found),
        (
            "records/modify",
            #"{"zoneID":ZONE,"operations":[{"operationType":"forceUpdate","record":{"recordName":"milk","recordType":"Item","fields":{}}}]}"#,
            [nil, "ACCESS_DENIED", nil, gone, gone, gone, "AUTHENTICATION_REQUIRED"]
        ),
        (
            "records/modify",
            #"{"zoneID":ZONE,"operations":[{"operationType":"forceDelete","record":{"recordName":"own"}}]}"#,
            [nil, nil, nil, gone, gone, gone, "AUTHENTICATION_REQUIRED"]
        ),
        (
            "records/modify",
            #"{"zoneID":ZONE,"operations":[{"operationType":"create","record":{"recordType":"Item","parent":{"recordName":"own"},"fields":{}}}]}"#,
            [nil, "ACCESS_DENIED", "VALIDATING_REFERENCE_ERROR", gone, gone, gone, "AUTHENTICATION_REQUIRED"]
        ),
        (
            "assets/upload",
            #"{"zoneID":ZONE,"tokens":[{"recordType":"Item","fieldName":"file"}]}"#,
            [nil, "ACCESS_DENIED", nil, gone, gone, gone, "AUTHENTICATION_REQUIRED"]
        ),
    ]

    private static let gone = "ZONE_NOT_FOUND"
    private static let found: [String?] = [nil, nil, nil, gone, gone, gone, "AUTHENTICATION_REQUIRED"]
    private static let missing: [String?] = [
        nil, "NOT_FOUND", "NOT_FOUND", gone, gone, gone, "AUTHENTICATION_REQUIRED",
    ]

    @Test func `people do in CloudKit's protocol what their share permits`() async throws {
        for row in Self.operations {
            let world = try await SharedWorld.make()
            let made = await world.database.call(
                .post, "/cloudkit/tokens", as: .administrator, body: #"{"name":"Web app"}"#)
            let token = try #require(made.json?["token"]?.string, "\(made.text)")
            let id = try #require(made.json?["id"]?.string)
            for (person, code) in zip(SharedWorld.Person.allCases, row.codes) {
                let signedIn = await world.database.call(
                    .post, "/cloudkit/sign-in/\(id)",
                    body: #"{"name":"\#(person.rawValue)","password":"correct horse","staysSignedIn":false}"#)
                let user = signedIn.json?["webAuthToken"]?.string.map { "&ckWebAuthToken=\($0)" } ?? ""
                let scope = person == .owner ? "private" : "shared"
                let owner = try #require(world.names[.owner])
                let response = await world.database.call(
                    .post, "/database/1/Forum/development/\(scope)/\(row.operation)?ckAPIToken=\(token)\(user)",
                    body: row.body.replacing("ZONE", with: #"{"zoneName":"Lists","ownerRecordName":"\#(owner)"}"#))
                let what = "\(row.operation) \(row.body) as \(person): \(response.text)"
                let first = ["records", "zones"].lazy.compactMap { response.json?[$0]?.array?.first }.first
                let found = response.code ?? first?["serverErrorCode"]?.string
                #expect(found == code, "\(what)")
                if person != .owner { #expect(!response.text.contains("secret"), "\(what)") }
            }
            #expect(
                await world.call(.get, "/records/Item/own?\(world.place(.owner))", as: .owner).status
                    == (row.body.contains("forceDelete") ? 404 : 200))
        }
    }
}
