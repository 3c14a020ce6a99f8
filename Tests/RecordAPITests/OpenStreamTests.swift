import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing
import Threads

@testable import RecordAPI

/// Streams with an event each second, whose caller loses the right to read them. A stream that is never silent must end
/// as soon as a silent one.
@Suite(.timeLimit(.minutes(2))) struct OpenStreamTests {
    /// A stream and what keeps it busy.
    private struct Busy {
        let stream: StreamReader
        /// Makes the next event. The number is in its record.
        let write: (Int) async throws -> Void
        private var count = 0

        init(_ stream: StreamReader, _ write: @escaping (Int) async throws -> Void) {
            self.stream = stream
            self.write = write
        }

        /// Makes an event and reads it.
        mutating func turn() async throws -> [StreamReader.Event] {
            count += 1
            try await write(count)
            return try await stream.readBusy()
        }

        /// Reads what is there, and checks that the stream sends events.
        mutating func begin() async throws {
            for _ in 0..<3 where try await stream.readBusy().contains(where: { $0.name == "caughtup" }) { break }
            for _ in 0..<3 {
                let events = try await turn()
                try #require(!events.isEmpty && !stream.hasEnded, "\(events)")
                try #require(events.allSatisfy { ["change", "zone", "notification"].contains($0.name) }, "\(events)")
            }
        }

        /// Checks that the stream ends with an error before the next event.
        mutating func expectEnd(_ code: String, _ comment: Comment) async throws {
            let events = try await turn()
            #expect(events.map(\.name) == ["end"], comment)
            #expect(events.first?.json?["serverErrorCode"]?.string == code, comment)
            #expect(try await stream.readBusy() == [] && stream.hasEnded, comment)
        }
    }

    private static let accept = [("Accept", "text/event-stream")]

    private static func open(_ database: TestDatabase, _ target: String, token: String) async throws -> StreamReader {
        let headers = accept + [("Authorization", "Bearer \(token)")]
        return try StreamReader(await database.call(.get, target, headers: headers))
    }

    // MARK: Administrators

    /// What happens to the administrator `ada`.
    enum AdministratorEnd: String, CaseIterable {
        case deleted, demoted, disabled, signedOut, password, ownPassword, displaced

        func happen(in database: TestDatabase, token: String) async -> Int {
            let path = "/administrators/ada"
            switch self {
            case .deleted: return await database.call(.delete, path, as: .administrator).status
            case .demoted:
                return await database.call(.patch, path, as: .administrator, body: #"{"role":"viewer"}"#).status
            case .disabled:
                return await database.call(.patch, path, as: .administrator, body: #"{"disabled":true}"#).status
            case .signedOut:
                return await database.call(.delete, "/administrators/sessions/current", token: token).status
            case .password:
                return await database.call(
                    .patch, path, as: .administrator, body: #"{"password":"another horse of ada"}"#
                ).status
            case .ownPassword:
                let other = await database.signIn("ada")
                return await database.call(
                    .patch, "/administrators/me", token: other,
                    body: #"{"currentPassword":"correct horse ada","password":"another horse of ada"}"#
                ).status
            case .displaced:
                for _ in 0..<50 { _ = await database.signIn("ada") }
                return 200
            }
        }
    }

    @Test(arguments: AdministratorEnd.allCases, ["", "/zones"])
    func `an administrator's busy stream ends with the administrator`(_ end: AdministratorEnd, _ kind: String)
        async throws
    {
        let database = try await TestDatabase.make()
        await database.call(.put, "/zones/A?database=private", as: .creator)
        let made = await database.call(
            .post, "/administrators", as: .administrator,
            body: #"{"name":"ada","password":"correct horse ada","role":"owner"}"#)
        try #require(made.status == 201, "\(made.text)")
        let token = await database.signIn("ada")
        let zone = kind.isEmpty ? "&zone=A" : ""
        let stream = try await Self.open(
            database, "/changes\(kind)?database=private&owner={creator}\(zone)", token: token)
        var busy = Busy(stream) { number in
            try await database.write("Note/n\(number)?database=private&zone=A", number)
        }
        try await busy.begin()
        let status = await end.happen(in: database, token: token)
        try #require(status < 300, "\(end): \(status)")
        // A changed role or password ends the sessions too.
        try await busy.expectEnd("AUTHENTICATION_FAILED", "\(end) \(kind)")
    }

    // MARK: Users

    /// What happens to the user of a session.
    enum UserEnd: String, CaseIterable {
        case signedOut, endedByAdministrator, password, disabled, deleted

        func happen(in database: TestDatabase) async -> Int {
            switch self {
            case .signedOut: await database.call(.delete, "/sessions/current", as: .member).status
            case .endedByAdministrator:
                await database.call(.delete, "/users/{member}/sessions", as: .administrator).status
            case .password:
                await database.call(
                    .patch, "/users/{member}", as: .administrator, body: #"{"password":"another horse"}"#
                ).status
            case .disabled:
                await database.call(.patch, "/users/{member}", as: .administrator, body: #"{"disabled":true}"#).status
            case .deleted: await database.call(.delete, "/users/{member}", as: .administrator).status
            }
        }
    }

    private static let targets = [
        "/changes?type=Secret", "/changes?database=private&zone=A", "/changes/zones?database=private",
        "/notifications",
    ]

    /// Makes an event for the editor `eve` in each of `targets`.
    private static func event(_ database: TestDatabase, _ number: Int) async throws {
        try await database.write("Secret/n\(number)", number, as: .creator)
        // The owner of the private database has no other session, so an administrator writes there.
        try await database.write("Note/n\(number)?database=private&zone=A&owner={member}", number, as: .administrator)
    }

    private static func forum() async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.call(.put, "/zones/A?database=private", as: .member)
        try await database.subscribe("s", #"{"type":"query","recordType":"Secret"}"#, as: .member)
        return database
    }

    @Test(arguments: UserEnd.allCases, targets)
    func `a user's busy stream ends with the user`(_ end: UserEnd, _ target: String) async throws {
        let database = try await Self.forum()
        var busy = Busy(try await Self.open(database, target, token: try #require(database.tokens[.member]))) {
            try await Self.event(database, $0)
        }
        try await busy.begin()
        let status = await end.happen(in: database)
        try #require(status < 300, "\(end): \(status)")
        if end == .deleted {
            // The zone ends with its owner, so nothing can be written there.
            busy = Busy(busy.stream) { _ in }
        }
        try await busy.expectEnd("AUTHENTICATION_FAILED", "\(end) \(target)")
    }

    @Test func `a busy stream shows nothing more that a lost role has shown`() async throws {
        let database = try await Self.forum()
        for (round, target) in ["/changes?type=Secret", "/notifications"].enumerated() {
            var busy = Busy(try await Self.open(database, target, token: try #require(database.tokens[.member]))) {
                try await database.write("Secret/r\(round)-\($0)", $0, as: .creator)
            }
            try await busy.begin()
            let lost = await database.call(
                .put, "/roles/editors", as: .administrator, body: #"{"members":[]}"#)
            try #require(lost.status == 200, "\(lost.text)")
            try await database.write("Secret/after\(round)", 1, as: .administrator)
            let events = try await busy.stream.read()
            #expect(events.allSatisfy { ["reset", "caughtup"].contains($0.name) }, "\(target): \(events)")
            await database.call(
                .put, "/roles/editors", as: .administrator, body: database.filled(#"{"members":["{member}"]}"#))
        }
    }

    // MARK: Participants

    @Test(arguments: ["left", "removed", "deleted", "readable"])
    func `a participant's busy stream ends with the share`(_ end: String) async throws {
        let world = try await SharedWorld.make(whole: true)
        let stream = try await Self.open(
            world.database, "/changes?\(world.place(.writer))", token: try #require(world.tokens[.writer]))
        var busy = Busy(stream) { number in
            let put = await world.put("n\(number)", "new \(number)", under: nil, as: .owner)
            try #require([200, 201].contains(put.status), "\(put.text)")
        }
        try await busy.begin()
        let share = "/records/cloudkit.share/share?"
        switch end {
        case "left":
            let left = await world.call(.delete, share + world.place(.writer), as: .writer)
            try #require(left.status == 204, "\(left.text)")
        case "removed":
            let removed = await world.call(
                .put, share + world.place(.owner), as: .owner, body: #"{"fields":{},"participants":[]}"#)
            try #require(removed.status == 200, "\(removed.text)")
        case "deleted":
            let deleted = await world.call(.delete, share + world.place(.owner), as: .owner)
            try #require(deleted.status == 204, "\(deleted.text)")
        default:
            // Still a participant: the stream goes on.
            let reads = await world.call(
                .put, share + world.place(.owner), as: .owner,
                body:
                    #"{"fields":{},"participants":[{"userRecordName":"\#(world.names[.writer] ?? "")","permission":"READ_ONLY"}]}"#
            )
            try #require(reads.status == 200, "\(reads.text)")
            #expect(try await !busy.turn().contains { $0.name == "end" })
            return
        }
        try await busy.expectEnd("ZONE_NOT_FOUND", "\(end)")
    }

    // MARK: The deadline

    @Test func `the deadline passes with each change of callers, at the expiry and after 15 seconds`() async throws {
        let database = try await TestDatabase.make()
        let reader = try await database.context.openReader(nil)
        try reader.refresh()
        let wall = Locked<Int64>(1_000)
        let deadline = AuthenticationDeadline(reader.database) { wall.withLock { $0 } }
        #expect(deadline.hasPassed, "never authenticated")
        deadline.move(to: reader.callersVersion, expires: 5_000)
        #expect(!deadline.hasPassed && !deadline.tick(1_000_000_000))
        wall.withLock { $0 = 4_999 }
        #expect(!deadline.tick(2_000_000_000))
        wall.withLock { $0 = 5_000 }
        #expect(deadline.hasPassed, "expired")
        deadline.move(to: reader.callersVersion)
        #expect(!deadline.tick(16_999_999_999))
        #expect(deadline.tick(17_000_000_000), "15 seconds after the authentication, which was at 2")
        deadline.move(to: reader.callersVersion)
        #expect(!deadline.hasPassed)
        // An administrator is in another store than the database.
        let made = await database.call(
            .post, "/administrators", as: .administrator,
            body: #"{"name":"ada","password":"correct horse ada","role":"owner"}"#)
        try #require(made.status == 201, "\(made.text)")
        let token = await database.signIn("ada")
        try reader.refresh()
        deadline.move(to: reader.callersVersion)
        #expect(!deadline.hasPassed)
        #expect(await database.call(.delete, "/administrators/sessions/current", token: token).status == 204)
        #expect(deadline.hasPassed, "signed out")
        try reader.refresh()
        deadline.move(to: reader.callersVersion)
        #expect(!deadline.hasPassed)
        await database.call(.delete, "/sessions/current", as: .creator)
        #expect(deadline.hasPassed, "a user signed out")
    }

    // MARK: Transfers

    /// A body whose sender loses its right after the first piece.
    private final class LosingBody: HTTPBodyReader, @unchecked Sendable {
        // Read by one task.
        private var pieces = 0
        private let lose: @Sendable () async -> Void
        let expectedLength: Int? = nil

        init(_ lose: @escaping @Sendable () async -> Void) { self.lose = lose }

        func next() async throws(HTTPBodyError) -> [UInt8]? {
            pieces += 1
            if pieces == 2 { await lose() }
            return pieces > 20 ? nil : [UInt8](repeating: 0x61, count: 131_072)
        }

        func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8] { throw .disconnected }
    }

    @Test(arguments: ["POST /assets", "POST /assets/uploads"], ["key", "user", "nobody"])
    func `an upload ends when its sender does`(_ route: String, _ who: String) async throws {
        let database = try await TestDatabase.make()
        let schema = #"{"types":{"File":{"fields":{"file":{"type":"ASSET"}}}}}"#
        try #require(await database.call(.put, "/schema", as: .administrator, body: schema).status == 200)
        let key = try await KeyRoutesTests.make(database, "k", #"{"types":["File"],"actions":["create"]}"#)
        let token = who == "key" ? key.token : try #require(database.tokens[.creator])
        let context = database.api.makeContext()
        defer { context.closeReaders() }
        let (api, administrator) = (database.api, try #require(database.tokens[.administrator]))
        let user = try #require(database.userNames[.creator])
        let target = try #require(
            RequestTarget(who == "key" ? "/keys/\(key.id)" : who == "user" ? "/users/\(user)" : "/users/none"))
        let body = LosingBody {
            var fields = HTTPFields()
            fields.append(.authorization, "Bearer \(administrator)")
            _ = await api.respond(
                to: HTTPRequest(method: .delete, target: target, fields: fields, id: "other"), in: context)
        }
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(token)")
        if route.hasSuffix("uploads") {
            for (name, value) in [TusTests.version, TusTests.part, ("Upload-Defer-Length", "1")] {
                if let name = HTTPFieldName(name) { fields.append(name, value) }
            }
        }
        let path = try #require(RequestTarget(String(route.split(separator: " ")[1])))
        let response = Response(
            await api.respond(
                to: HTTPRequest(method: .post, target: path, fields: fields, body: .stream(body), id: "request-1"),
                in: database.context))
        database.context.loopWillBlock()
        #expect(response.status == (who == "nobody" ? 201 : 401), "\(response.status) \(response.text)")
    }

    @Test(arguments: ["key", "user", "nobody"])
    func `a download ends when its receiver does`(_ who: String) async throws {
        let database = try await TestDatabase.make()
        let schema = #"{"types":{"File":{"fields":{"file":{"type":"ASSET"}}}}}"#
        try #require(await database.call(.put, "/schema", as: .administrator, body: schema).status == 200)
        let key = try await KeyRoutesTests.make(database, "k", #"{"types":["File"],"actions":["read"]}"#)
        let content = String(repeating: "a", count: HTTPFileBody.pieceBytes + 1)
        func put(_ name: String, _ content: String, as caller: TestDatabase.Who) async throws {
            let asset = try #require(await database.call(.post, "/assets", as: caller, body: content).json?["asset"])
            let fields = JSONValue.object(JSONObject([("file", asset)]))
            let body = JSONValue.object(JSONObject([("fields", fields)]))
            let made = await database.call(
                .put, "/records/File/\(name)", as: caller, body: String(decoding: body.bytes, as: UTF8.self))
            try #require(made.status == 201, "\(made.text)")
        }
        try await put("f", content, as: .creator)
        var fields = HTTPFields()
        let token = who == "key" ? key.token : try #require(database.tokens[.creator])
        fields.append(.authorization, "Bearer \(token)")
        let path = try #require(RequestTarget("/records/File/f/file"))
        let request = HTTPRequest(method: .get, target: path, fields: fields, id: "request-1")
        let response = await database.api.respond(to: request, in: database.context)
        guard case .file(let body) = response.body, let check = body.check else {
            Issue.record("\(response)")
            return
        }
        try await check()
        let user = try #require(database.userNames[.creator])
        let target = who == "key" ? "/keys/\(key.id)" : who == "user" ? "/users/\(user)" : "/users/none"
        await database.call(.delete, target, as: .administrator)
        if who == "nobody" {
            try await check()
        } else {
            await #expect(throws: RecordError.self) { try await check() }
        }
        // A file that is sent in one piece needs no check.
        try await put("g", "short", as: .stranger)
        var others = HTTPFields()
        others.append(.authorization, "Bearer \(try #require(database.tokens[.stranger]))")
        let small = HTTPRequest(
            method: .get, target: try #require(RequestTarget("/records/File/g/file")), fields: others, id: "request-2")
        guard case .file(let whole) = await database.api.respond(to: small, in: database.context).body else {
            Issue.record("no file")
            return
        }
        #expect(whole.check == nil)
        database.context.loopWillBlock()
    }

    // MARK: Keys

    @Test(arguments: ["revoked", "rotated", "expired"], ["/changes?type=Secret", "/notifications"])
    func `a key's busy stream ends with the key`(_ end: String, _ target: String) async throws {
        let database = try await Self.forum()
        let key = try await KeyRoutesTests.make(database, "k", #"{"types":["Secret"],"readOnly":true}"#)
        if target == "/notifications" {
            let headers = [("Authorization", "Bearer \(key.token)")]
            let put = await database.call(
                .put, "/subscriptions/s", body: #"{"type":"query","recordType":"Secret"}"#, headers: headers)
            try #require(put.status == 201, "\(put.text)")
        }
        var busy = Busy(try await Self.open(database, target, token: key.token)) {
            try await database.write("Secret/k\($0)", $0, as: .creator)
        }
        try await busy.begin()
        switch end {
        case "revoked":
            let revoked = await database.call(.delete, "/keys/\(key.id)", as: .administrator)
            try #require(revoked.status == 204, "\(revoked.text)")
        case "rotated":
            let rotated = await database.call(
                .post, "/keys/\(key.id)/rotate", as: .administrator, body: #"{"overlap":0}"#)
            try #require(rotated.status == 200, "\(rotated.text)")
        default:
            let expiry = WallClock.milliseconds + 2_000
            let changed = await database.call(
                .patch, "/keys/\(key.id)", as: .administrator, body: #"{"expiresAt":\#(expiry)}"#)
            try #require(changed.status == 200, "\(changed.text)")
            var last: [StreamReader.Event] = []
            while !busy.stream.hasEnded, WallClock.milliseconds < expiry { last = try await busy.turn() }
            // The last event may have been written before the expiry and read behind it.
            if last.map(\.name) == ["end"] { return }
        }
        try await busy.expectEnd("AUTHENTICATION_FAILED", "\(end) \(target)")
    }
}

extension TestDatabase {
    /// Begins a session of an administrator whose password is `correct horse` and the name.
    fileprivate func signIn(_ name: String) async -> String {
        let session = await call(
            .post, "/administrators/sessions", body: #"{"name":"\#(name)","password":"correct horse \#(name)"}"#)
        return session.json?["token"]?.string ?? session.text
    }
}
