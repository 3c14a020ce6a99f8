import Cryptography
import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// The data directory that every row of the matrix starts from, created once: two containers, three users, named
/// administrators of each role, keys, and one type for each way to deny access to a record.
struct MatrixTemplate: Sendable {
    let directory: String
    let tokens: [CallerKind: String]
    /// The values of `{word}` in rows.
    let words: [String: String]
    let secrets: [MatrixSecret]

    static let passwords = PasswordWorkers(threads: 2, queueLength: 100_000, scheme: .quick)
    static let bootstrapToken = "bootstrap-token-of-the-matrix"
    static let schema = """
        {"types":{
        "Open":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},"n":{"type":"INT64"}},
        "grants":{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}},
        "Own":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"]}},
        "grants":{"_icloud":["CREATE"],"_creator":["READ","WRITE"]}},
        "Staff":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"]}},
        "grants":{"editors":["CREATE","READ","WRITE"]}},
        "Listed":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"]}},
        "grants":{"_world":["READ"],"_icloud":["CREATE","WRITE"]}},
        "Good":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"]},
        "cost":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"],"read":["editors"],"write":["editors"]},
        "note":{"type":"STRING","indexes":["QUERYABLE"],"read":["_creator"],"write":["_creator"]}},
        "grants":{"_world":["READ"],"_icloud":["CREATE","WRITE"]}},
        "File":{"fields":{"file":{"type":"ASSET"}},
        "grants":{"_icloud":["CREATE"],"_creator":["READ","WRITE"],"editors":["READ"]}},
        "Drop":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"]}},
        "grants":{"_world":["CREATE"],"editors":["WRITE"]}},
        "Other":{"fields":{"title":{"type":"STRING"}},"grants":{"_world":["READ"]}}}}
        """

    /// Created by the first test that needs it.
    static let shared = Task { try await make() }

    private static func make() async throws -> MatrixTemplate {
        let directory = NSTemporaryDirectory() + "fogbase-matrix-" + UUID().uuidString
        Leftovers.remove(atExit: directory)
        let world = try MatrixWorld(directory: directory)
        var tokens: [CallerKind: String] = [.bootstrap: bootstrapToken]
        var words: [String: String] = [:]
        world.tokens = tokens
        try await addUsers(world, &tokens, &words)
        world.tokens = tokens
        try await addAdministrators(world, &tokens, &words)
        try await addKeys(world, &tokens, &words)
        world.tokens = tokens
        world.words = words
        try await addRecords(world, &words)
        words["job"] = try await addJob(world)
        var secrets = MatrixSecret.fixed + (try await tags(world))
        for (kind, token) in tokens { secrets.append(MatrixSecret(text: token, knowers: [kind])) }
        secrets.append(
            MatrixSecret(text: words["job"] ?? "-", knowers: CallerKind.managers.union([.editor, .viewer])))
        for word in ["key", "invitation", "webhook"] {
            secrets.append(MatrixSecret(text: words[word] ?? "-", knowers: CallerKind.managers))
        }
        await world.close()
        // Time passes for a key.
        let connection = try Connection(
            path: DataDirectory.databasePath(in: directory + "/Forum/development"), role: .writer)
        try connection.execute("UPDATE api_key SET expires = 1 WHERE name = 'expired'")
        return MatrixTemplate(directory: directory, tokens: tokens, words: words, secrets: secrets)
    }

    private static func addUsers(
        _ world: MatrixWorld, _ tokens: inout [CallerKind: String], _ words: inout [String: String]
    ) async throws {
        for (kind, name) in [(CallerKind.creator, "ann"), (.stranger, "bob"), (.member, "eve")] {
            let made = try await world.expect(
                201, .post, "/users", #"{"name":"\#(name)","password":"matrix horse"}"#)
            tokens[kind] = try #require(made.json?["token"]?.string)
            words[kind.rawValue] = try #require(made.json?["user"]?["userRecordName"]?.string)
        }
        let signIn = #"{"name":"ann","password":"matrix horse"}"#
        let second = try #require(
            try await world.expect(201, .post, "/sessions", signIn).json?["token"]?.string)
        let ended = try #require(
            try await world.expect(201, .post, "/sessions", signIn).json?["token"]?.string)
        _ = try await world.expect(204, .delete, "/sessions/current", token: ended)
        tokens[.endedSession] = ended
        let sessions = try await world.expect(200, .get, "/sessions", token: second)
        words["session"] = try #require(
            sessions.json?["sessions"]?.array?.first { $0["current"] == true }?["id"]?.string)
        let foreign = try await world.expect(
            201, .post, "/users?container=Annex", #"{"name":"ann","password":"matrix horse"}"#)
        tokens[.foreignSession] = try #require(foreign.json?["token"]?.string)
        let disabled = try await world.expect(201, .post, "/users", #"{"name":"dora","password":"matrix horse"}"#)
        tokens[.disabledUser] = try #require(disabled.json?["token"]?.string)
        let name = try #require(disabled.json?["user"]?["userRecordName"]?.string)
        _ = try await world.expect(200, .patch, "/users/\(name)", #"{"disabled":true}"#, as: .bootstrap)
    }

    private static func addAdministrators(
        _ world: MatrixWorld, _ tokens: inout [CallerKind: String], _ words: inout [String: String]
    ) async throws {
        for (kind, role) in [
            (CallerKind.owner, "owner"), (.developer, "developer"), (.editor, "editor"), (.viewer, "viewer"),
            (.disabledAdministrator, "owner"),
        ] {
            let name = (kind == .disabledAdministrator ? "disabled" : role) + "-kx90"
            let credentials = #""name":"\#(name)","password":"matrix horse \#(name)""#
            _ = try await world.expect(
                201, .post, "/administrators", #"{\#(credentials),"role":"\#(role)"}"#, as: .bootstrap)
            let session = try await world.expect(201, .post, "/administrators/sessions", "{\(credentials)}")
            tokens[kind] = try #require(session.json?["token"]?.string)
        }
        _ = try await world.expect(
            200, .patch, "/administrators/disabled-kx90", #"{"disabled":true}"#, as: .bootstrap)
        let sessions = try await world.expect(
            200, .get, "/administrators/sessions", token: tokens[.owner])
        words["administratorSession"] = try #require(sessions.json?["sessions"]?.array?.first?["id"]?.string)
    }

    /// Adds a job that has ended, and returns its id.
    private static func addJob(_ world: MatrixWorld) async throws -> String {
        let response = try await world.call(
            .delete, queryTarget("Open", [("where", #"recordName == "none""#)]), as: .bootstrap,
            headers: [("Prefer", "respond-async")])
        let id = try #require(response.json?["id"]?.string, "\(response.text)")
        while try await world.call(.get, "/jobs/\(id)", as: .bootstrap).json?["ended"] == nil { await Task.yield() }
        return id
    }

    private static func addKeys(
        _ world: MatrixWorld, _ tokens: inout [CallerKind: String], _ words: inout [String: String]
    ) async throws {
        let types = #""types":["Open","Own","Staff","Listed","Good","File","Drop"]"#
        let all = #"{\#(types),"actions":["read","create","write"]}"#
        for (kind, name, scope, container) in [
            (CallerKind.keyInScope, "in", all, "Forum"),
            (.readOnlyKey, "read", #"{\#(types),"readOnly":true}"#, "Forum"),
            (.keyOutOfScope, "out", #"{"types":["Other"],"actions":["read","create","write"]}"#, "Forum"),
            (.expiredKey, "expired", all, "Forum"), (.revokedKey, "revoked", all, "Forum"),
            (.foreignKey, "foreign", #"{"actions":["read","create","write"]}"#, "Annex"),
        ] {
            let made = try await world.expect(
                201, .post, "/keys?container=\(container)", #"{"name":"\#(name)","scope":\#(scope),"expiresIn":86400}"#,
                as: .bootstrap)
            tokens[kind] = try #require(made.json?["token"]?.string)
            if kind == .revokedKey {
                let id = try #require(made.json?["id"]?.string)
                _ = try await world.expect(204, .delete, "/keys/\(id)", as: .bootstrap)
            }
        }
        let spare = try await world.expect(
            201, .post, "/keys", #"{"name":"sparekey-kx92","scope":{"readOnly":true}}"#, as: .bootstrap)
        words["key"] = try #require(spare.json?["id"]?.string)
        let app = try await world.expect(
            201, .post, "/cloudkit/tokens", #"{"name":"webapp-kx95","origins":["https://app.example.org"]}"#,
            as: .bootstrap)
        words["app"] = try #require(app.json?["id"]?.string)
        let webhook = try await world.expect(
            201, .post, "/webhooks", #"{"url":"https://example.org/hookpath-kx93","types":["Staff"]}"#, as: .bootstrap)
        words["webhook"] = try #require(webhook.json?["id"]?.string)
        let invitation = try await world.expect(201, .post, "/invitations", "{}", as: .bootstrap)
        words["invitation"] = try #require(invitation.json?["id"]?.string)
    }

    private static func addRecords(_ world: MatrixWorld, _ words: inout [String: String]) async throws {
        _ = try await world.expect(
            201, .put, "/roles/editors", #"{"members":["{member}"]}"#, as: .bootstrap)
        _ = try await world.expect(201, .put, "/roles/Auditors_kx91", #"{"members":[]}"#, as: .bootstrap)
        _ = try await world.expect(200, .put, "/schema", schema, as: .bootstrap)
        _ = try await world.expect(
            201, .put, "/schedules/nightly-kx94",
            #"{"cron":"0 3 1 1 *","task":{"kind":"deleteRecords","recordType":"Staff","where":"title == 'x'"}}"#,
            as: .bootstrap)
        _ = try await world.expect(201, .put, "/zones/kept-kx95?database=private", as: .creator)
        for (who, path, body) in [
            (CallerKind.creator, "Open/open-1", #"{"fields":{"title":"seaside","n":1}}"#),
            (.creator, "Own/own-1-kx83", #"{"fields":{"title":"ownsecret"}}"#),
            (.bootstrap, "Staff/staff-1-kx84", #"{"fields":{"title":"staffsecret"}}"#),
            (
                .creator, "Listed/listed-1-kx85",
                #"{"fields":{"title":"listedsecret"},"acl":{"{creator}":["read","write"],"role:editors":["read"]}}"#
            ),
            (.creator, "Good/good-1", #"{"fields":{"title":"tea","note":"notesecret"}}"#),
            (.creator, "Drop/drop-1-kx88", #"{"fields":{"title":"dropsecret"}}"#),
            (.creator, "Note/diary-1-kx89?database=private", #"{"fields":{"title":"diarysecret"}}"#),
            (.creator, "Note/page-1-kx96?database=private&zone=kept-kx95", #"{"fields":{"title":"zonesecret"}}"#),
            (.bootstrap, "Other/other-1", #"{"fields":{"title":"other"}}"#),
        ] {
            _ = try await world.expect(201, .put, "/records/\(path)", body, as: who)
        }
        _ = try await world.expect(
            200, .patch, "/records/Good/good-1", #"{"fields":{"cost":731731731}}"#, as: .bootstrap)
        let asset = try await world.upload("assetsecret of the file", "/assets?filename=scan-kx87.txt", as: .creator)
        let record: JSONValue = ["fields": ["file": asset]]
        let made = try await world.expect(
            201, .put, "/records/File/file-1-kx87", String(decoding: record.bytes, as: UTF8.self), as: .creator)
        let url = try #require(made.json?["fields"]?["file"]?["value"]?["downloadURL"]?.string)
        words["asset"] = String(url[try #require(url.range(of: "/assets/")).lowerBound...])
        words["assetPath"] = words["asset"]?.split(separator: "?").first.map(String.init)
        let upload = try await world.call(
            .post, "/assets/uploads", as: .creator,
            headers: [TusTests.version, ("Upload-Length", "11"), ("Upload-Metadata", "secret YXNzZXRzZWNyZXQ=")])
        words["upload"] = upload.field("Location")
    }

    /// The change tags of records with restricted readers, as responses show them.
    private static func tags(_ world: MatrixWorld) async throws -> [MatrixSecret] {
        var secrets: [MatrixSecret] = []
        for (path, text) in [
            ("Own/own-1-kx83", "ownsecret"), ("Staff/staff-1-kx84", "staffsecret"),
            ("Listed/listed-1-kx85", "listedsecret"), ("File/file-1-kx87", "assetsecret"),
            ("Drop/drop-1-kx88", "dropsecret"),
        ] {
            let response = try await world.expect(200, .get, "/records/\(path)", as: .bootstrap)
            let tag = try #require(response.json?["recordChangeTag"]?.string)
            let knowers = MatrixSecret.fixed.first { $0.text == text }?.knowers ?? []
            secrets.append(MatrixSecret(text: "\"\(tag)\"", knowers: knowers))
            if let checksum = response.json?["fields"]?["file"]?["value"]?["fileChecksum"]?.string {
                secrets.append(MatrixSecret(text: checksum, knowers: knowers))
                secrets.append(MatrixSecret(text: SHA256.hash(utf8: "assetsecret of the file").hex, knowers: knowers))
            }
        }
        return secrets
    }
}
