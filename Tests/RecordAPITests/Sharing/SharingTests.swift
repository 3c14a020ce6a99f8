import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct SharingTests {
    @Test func `participants find what is shared, and nothing else`() async throws {
        let world = try await SharedWorld.make()
        #expect(await world.items(of: .owner) == ["fresh", "home", "milk", "hidden", "own"])
        #expect(await world.items(of: .reader) == ["fresh", "home", "milk"])
        #expect(await world.items(of: .writer) == ["fresh", "home", "milk"])
        for person in [SharedWorld.Person.invited, .removed, .stranger, .anonymous] {
            #expect(await world.items(of: person) == nil, "\(person)")
        }
        let count = await world.call(
            .post, "/query?\(world.place(.reader))", as: .reader,
            body: #"{"recordType":"Item","aggregate":{"values":["count"]}}"#)
        #expect(count.text.contains(#""count":3"#), "\(count.text)")
        let share = await world.call(
            .get, "/records/cloudkit.share/share?\(world.place(.reader))", as: .reader)
        #expect(share.status == 200, "\(share.text)")
        #expect(share.json?["forRecord"]?["recordName"] == "home")
        #expect(share.json?["currentUserParticipant"]?["permission"] == "READ_ONLY")
        #expect(share.json?["participants"]?.array?.map { $0["type"]?.string } == ["OWNER", "USER", "USER", "USER"])
        let milk = await world.call(.get, "/records/Item/milk?\(world.place(.reader))", as: .reader)
        #expect(milk.json?["parent"]?["recordName"] == "home", "\(milk.text)")
        let home = await world.call(.get, "/records/Item/home?\(world.place(.reader))", as: .reader)
        #expect(home.json?["share"]?["recordName"] == "share", "\(home.text)")
        #expect(!home.text.contains("acl"))
    }

    @Test func `a participant with READ_WRITE changes the hierarchy and creates records in it`() async throws {
        let world = try await SharedWorld.make()
        #expect(await world.put("bread", "Bread", under: "home", as: .writer).status == 201)
        #expect(await world.put("crumb", "Crumb", under: "bread", as: .writer).status == 201)
        #expect(await world.put("milk", "Milk 2", under: nil, as: .writer).status == 200)
        #expect(await world.items(of: .reader) == ["bread", "crumb", "fresh", "home", "milk"])
        // The parent stays if a request does not name it.
        let milk = await world.call(.get, "/records/Item/milk?\(world.place(.owner))", as: .owner)
        #expect(milk.json?["parent"]?["recordName"] == "home", "\(milk.text)")
        for (name, parent) in [("stray", nil), ("stray", "own"), ("stray", "hidden"), ("stray", "nowhere")] {
            let refused = await world.put(name, "Stray", under: parent, as: .writer)
            #expect([403, 412].contains(refused.status), "\(refused.text)")
        }
        // Moving a record out of the share.
        #expect(await world.put("milk", "Milk", under: "own", as: .writer).status != 200)
        #expect(await world.put("milk", "Milk", under: "home", as: .reader).status == 403)
        #expect(await world.put("more", "More", under: "home", as: .reader).status == 403)
        #expect(
            await world.call(.delete, "/records/Item/crumb?\(world.place(.writer))", as: .writer).status == 204)
        #expect(await world.items(of: .owner) == ["bread", "fresh", "home", "milk", "hidden", "own"])
    }

    @Test func `records come into a share and leave it with their parents`() async throws {
        let world = try await SharedWorld.make()
        #expect(await world.put("own", "Own", under: "home", as: .owner).status == 200)
        #expect(await world.items(of: .reader) == ["fresh", "home", "milk", "own", "hidden"])
        #expect(await world.put("home", "Home", under: "hidden", as: .owner).status == 400, "a circle")
        let moved = await world.call(
            .put, "/records/Item/own?\(world.place(.owner))", as: .owner,
            body: #"{"fields":{"title":"Own"},"parent":null}"#)
        #expect(moved.status == 200, "\(moved.text)")
        #expect(await world.items(of: .reader) == ["fresh", "home", "milk"])
        // A deleted parent leaves its children outside.
        #expect(await world.call(.delete, "/records/Item/milk?\(world.place(.owner))", as: .owner).status == 204)
        #expect(await world.items(of: .reader) == ["home"])
        #expect(await world.items(of: .owner) == ["fresh", "home", "own", "hidden"])
    }

    @Test func `a batch may name a parent before it creates it`() async throws {
        let world = try await SharedWorld.make()
        func operation(_ name: String, _ parent: String) -> String {
            #"{"operationType":"create","record":{"recordType":"Item","recordName":"\#(name)","fields":{"title":{"value":"\#(name)"}},"parent":{"recordName":"\#(parent)"}}}"#
        }
        for person in [SharedWorld.Person.owner, .writer] {
            let (child, parent) = ("child of \(person)", "parent of \(person)")
            let made = await world.call(
                .post, "/records?\(world.place(person))", as: person,
                body: #"{"operations":[\#(operation(child, parent)),\#(operation(parent, "home"))]}"#)
            #expect(made.status == 200 && made.json?["records"]?.array?.count == 2, "\(made.text)")
            #expect(!made.text.contains("serverErrorCode"), "\(made.text)")
            #expect(await world.items(of: .reader)?.contains(child) == true)
        }
        let refused = await world.call(
            .post, "/records?\(world.place(.writer))", as: .writer,
            body: #"{"operations":[\#(operation("a", "home")),\#(operation("b", "own"))]}"#)
        #expect(refused.text.contains("ATOMIC_ERROR"), "\(refused.text)")
        #expect(await world.items(of: .reader)?.contains("a") == false)
    }

    @Test func `a whole zone can be shared`() async throws {
        let world = try await SharedWorld.make(whole: true)
        #expect(await world.items(of: .reader) == ["fresh", "home", "milk", "hidden", "own"])
        #expect(await world.items(of: .invited) == nil)
        #expect(await world.put("stray", "Stray", under: nil, as: .writer).status == 201)
        #expect(await world.put("x", "X", under: nil, as: .reader).status == 403)
        let other = await world.call(
            .put, "/records/cloudkit.share/other?\(world.place(.owner))", as: .owner,
            body: #"{"fields":{},"forRecord":{"recordName":"home"}}"#)
        #expect(other.status == 400, "\(other.text)")
        let again = await world.call(
            .put, "/records/cloudkit.share/other?\(world.place(.owner))", as: .owner, body: #"{"fields":{}}"#)
        #expect(again.status == 409, "\(again.text)")
    }

    @Test func `a link works for those whom the share admits`() async throws {
        let world = try await SharedWorld.make()
        let link = "/shares/\(world.guid)"
        #expect(await world.call(.get, link, as: .stranger).status == 404)
        #expect(await world.call(.get, link, as: .anonymous).status == 404)
        #expect(await world.call(.post, link + "/accept", as: .stranger).status == 404)
        #expect(await world.call(.post, link + "/accept", as: .removed).status == 404)
        #expect(await world.call(.post, link + "/accept", as: .anonymous).status == 401)
        let invited = await world.call(.get, link, as: .invited)
        #expect(invited.json?["acceptanceStatus"] == "INVITED", "\(invited.text)")
        #expect(invited.json?["permission"] == "READ_WRITE")
        #expect(await world.call(.post, link + "/accept", as: .invited).json?["acceptanceStatus"] == "ACCEPTED")
        #expect(await world.call(.post, link + "/accept", as: .invited).status == 200, "again")
        #expect(await world.call(.post, link + "/accept", as: .owner).json?["participantType"] == "OWNER")
        #expect(await world.items(of: .invited) == ["fresh", "home", "milk"])
    }

    @Test func `a public share admits everyone with the link, until it is no longer public`() async throws {
        let world = try await SharedWorld.make(publicPermission: "READ_ONLY")
        #expect(await world.items(of: .stranger) == nil)
        let shown = await world.call(.get, "/shares/\(world.guid)", as: .anonymous)
        #expect(shown.json?["rootRecordName"] == "home", "\(shown.text)")
        #expect(await world.call(.post, "/shares/\(world.guid)/accept", as: .stranger).status == 200)
        #expect(await world.items(of: .stranger) == ["fresh", "home", "milk"])
        #expect(await world.put("milk", "Milk", under: "home", as: .stranger).status == 403)
        func set(_ permission: String) async -> Int {
            await world.call(
                .patch, "/records/cloudkit.share/share?\(world.place(.owner))", as: .owner,
                body: #"{"fields":{},"publicPermission":"\#(permission)"}"#
            ).status
        }
        #expect(await set("READ_WRITE") == 200)
        #expect(await world.put("milk", "Milk", under: "home", as: .stranger).status == 200)
        #expect(await set("NONE") == 200)
        #expect(await world.items(of: .stranger) == nil)
    }

    @Test func `an invitation for someone without an account has a link of its own`() async throws {
        let world = try await SharedWorld.make()
        let place = world.place(.owner)
        let share = await world.call(.get, "/records/cloudkit.share/share?\(place)", as: .owner)
        let known = String(
            decoding: JSONValue.array(share.json?["participants"]?.array ?? []).bytes.dropFirst().dropLast(),
            as: UTF8.self)
        let changed = await world.call(
            .patch, "/records/cloudkit.share/share?\(place)", as: .owner,
            body:
                #"{"fields":{},"participants":[\#(known),{"label":"grandma@example.org","permission":"READ_ONLY"}]}"#)
        #expect(changed.status == 200, "\(changed.text)")
        let entry = changed.json?["participants"]?.array?.first { $0["label"] == "grandma@example.org" }
        let guid = try #require(entry?["shortGUID"]?.string)
        let seen = await world.call(
            .get, "/records/cloudkit.share/share?\(world.place(.reader))", as: .reader)
        #expect(!seen.text.contains("grandma") && !seen.text.contains(guid), "\(seen.text)")
        #expect(await world.call(.post, "/shares/\(guid)/accept", as: .stranger).status == 200)
        #expect(await world.items(of: .stranger) == ["fresh", "home", "milk"])
        // The link is used: it leads only whom it has let in.
        for _ in 0..<2 {
            let again = await world.call(.post, "/shares/\(guid)/accept", as: .stranger)
            #expect(again.status == 200 && again.json?["acceptanceStatus"] == "ACCEPTED", "\(again.text)")
            let shown = await world.call(.get, "/shares/\(guid)", as: .stranger)
            #expect(shown.status == 200 && shown.json?["participantPermission"] == again.json?["participantPermission"])
        }
        for caller in [SharedWorld.Person.removed, .reader, .owner, .anonymous] {
            #expect(await world.call(.get, "/shares/\(guid)", as: caller).status == 404, "\(caller)")
            #expect(await world.call(.post, "/shares/\(guid)/accept", as: caller).status >= 401, "\(caller)")
        }
        let owned = await world.call(.get, "/records/cloudkit.share/share?\(place)", as: .owner)
        #expect(!owned.text.contains(guid), "\(owned.text)")
        #expect(await world.items(of: .stranger) == ["fresh", "home", "milk"])
        // Who has left does not return by the link.
        let left = await world.call(
            .delete, "/records/cloudkit.share/share?\(world.place(.stranger))", as: .stranger)
        #expect(left.status == 200 || left.status == 204, "\(left.text)")
        #expect(await world.call(.post, "/shares/\(guid)/accept", as: .stranger).status == 404)
    }

    @Test func `a zone that nobody shares is explained`() async throws {
        let world = try await SharedWorld.make()
        let place = world.place(.reader).replacing("Lists", with: "None")
        for path in ["/records/Item/home", "/changes"] {
            let response = await world.call(.get, "\(path)?\(place)", as: .reader)
            #expect(response.status == 404 && response.code == "ZONE_NOT_FOUND", "\(response.text)")
            #expect(response.text.contains("the shared database, with the owner's record name"), "\(response.text)")
        }
    }

    @Test func `participants leave, are removed, and lose the share with its root`() async throws {
        let world = try await SharedWorld.make()
        let share = "/records/cloudkit.share/share"
        #expect(await world.call(.delete, "\(share)?\(world.place(.reader))", as: .reader).status == 204)
        #expect(await world.items(of: .reader) == nil)
        #expect(await world.items(of: .writer) == ["fresh", "home", "milk"])
        let changes = await world.call(.get, "/changes/zones?database=shared", as: .reader)
        #expect(changes.text.contains(#""deleted":true"#), "\(changes.text)")
        #expect(
            await world.call(
                .patch, "\(share)?\(world.place(.writer))", as: .writer,
                body: #"{"fields":{},"publicPermission":"READ_WRITE"}"#
            ).status == 403)
        #expect(await world.call(.delete, "/records/Item/home?\(world.place(.owner))", as: .owner).status == 204)
        #expect(await world.items(of: .writer) == nil)
        #expect(await world.call(.get, "\(share)?\(world.place(.owner))", as: .owner).status == 404)
        #expect(await world.call(.get, "/shares/\(world.guid)", as: .writer).status == 404)
        #expect(await world.items(of: .owner) == ["fresh", "milk", "hidden", "own"])
    }

    @Test func `a deleted zone and a deleted account end their shares`() async throws {
        for deletesAccount in [false, true] {
            let world = try await SharedWorld.make()
            let list = await world.call(.get, "/zones?database=shared", as: .reader)
            #expect(list.json?["zones"]?.array?.map { $0["zoneName"]?.string } == ["Lists"], "\(list.text)")
            let token = await world.call(.get, "/changes/zones?database=shared", as: .reader).json?["token"]?.string
            let gone =
                deletesAccount
                ? await world.call(.delete, "/users/me", as: .owner, body: #"{"password":"correct horse"}"#)
                : await world.call(.delete, "/zones/Lists?database=private", as: .owner)
            #expect(gone.status == 204, "\(gone.text)")
            #expect(await world.items(of: .reader) == nil)
            #expect(
                await world.call(.get, "/zones?database=shared", as: .reader).json?["zones"]?.array?.isEmpty == true)
            let since = try #require(token).replacing("+", with: "%2B")
            let changes = await world.call(.get, "/changes/zones?database=shared&since=\(since)", as: .reader)
            #expect(
                changes.json?["zones"]?.array?.map { $0["deleted"] == .bool(true) } == [true], "\(changes.text)")
        }
    }

    @Test func `the feed of a participant follows the share`() async throws {
        let world = try await SharedWorld.make()
        func changes(_ token: String?) async -> Response {
            let since = token.map { "&since=" + $0.replacing("+", with: "%2B") } ?? ""
            return await world.call(.get, "/changes?\(world.place(.reader))\(since)", as: .reader)
        }
        func names(_ page: Response) -> Set<String> {
            Set(
                (page.json?["changes"]?.array ?? []).map {
                    ($0["recordName"]?.string ?? "?") + ($0["deleted"] == .bool(true) ? " gone" : "")
                })
        }
        let first = await changes(nil)
        #expect(names(first) == ["fresh", "home", "milk", "share"], "\(first.text)")
        _ = await world.put("own", "Own", under: "home", as: .owner)
        let second = await changes(first.json?["syncToken"]?.string ?? first.json?["token"]?.string)
        #expect(names(second) == ["own", "hidden"], "\(second.text)")
        await world.call(
            .patch, "/records/Item/own?\(world.place(.owner))", as: .owner, body: #"{"fields":{},"parent":null}"#)
        let third = await changes(second.json?["syncToken"]?.string ?? second.json?["token"]?.string)
        #expect(names(third) == ["own gone", "hidden gone"], "\(third.text)")
        #expect(!third.text.contains("secret"))
    }

    @Test func `shares and parents belong to custom zones, and their keys to share records`() async throws {
        let world = try await SharedWorld.make()
        let rows: [(String, String, Int)] = [
            ("cloudkit.share/s?database=private", #"{"fields":{}}"#, 400),
            ("cloudkit.share/s", #"{"fields":{}}"#, 400),
            ("Item/x?database=private", #"{"fields":{},"parent":{"recordName":"y"}}"#, 400),
            ("Item/x", #"{"fields":{},"parent":{"recordName":"y"}}"#, 400),
            ("Item/x?\(world.place(.owner))", #"{"fields":{},"publicPermission":"NONE"}"#, 400),
            ("Item/x?\(world.place(.owner))", #"{"fields":{},"parent":"home"}"#, 400),
            ("Item/x?\(world.place(.owner))", #"{"fields":{},"parent":{"recordName":"nowhere"}}"#, 412),
            ("cloudkit.share/s?\(world.place(.owner))", #"{"fields":{},"forRecord":{"recordName":"nowhere"}}"#, 400),
            ("cloudkit.share/s?\(world.place(.owner))", #"{"fields":{},"forRecord":{"recordName":"home"}}"#, 409),
            (
                "cloudkit.share/s?\(world.place(.owner))",
                #"{"fields":{},"forRecord":{"recordName":"own"},"participants":[{"userRecordName":"_00000000000000000000000000000000"}]}"#,
                400
            ),
            (
                "cloudkit.share/s?\(world.place(.owner))",
                #"{"fields":{"other":"x"},"forRecord":{"recordName":"own"}}"#, 400
            ),
            (
                "cloudkit.share/s?\(world.place(.owner))",
                #"{"fields":{"cloudkit.title":"Own list"},"forRecord":{"recordName":"own"}}"#, 201
            ),
        ]
        for (target, body, status) in rows {
            let response = await world.call(.put, "/records/\(target)", as: .owner, body: body)
            #expect(response.status == status, "\(target) \(body): \(response.text)")
        }
        let schema = await world.call(.get, "/schema", as: .owner)
        let administrators = await world.database.call(.get, "/schema", as: .administrator)
        #expect(!schema.text.contains("cloudkit.share") && !administrators.text.contains("cloudkit.share"))
    }

    @Test func `participants cannot change what a share contains beyond their rights`() async throws {
        let world = try await SharedWorld.make()
        // A second share for reading only.
        let other = await world.call(
            .put, "/records/cloudkit.share/other?\(world.place(.owner))", as: .owner,
            body: #"""
                {"fields":{},"forRecord":{"recordName":"own"},"publicPermission":"READ_ONLY",
                "participants":[{"userRecordName":"\#(world.names[.writer] ?? "")","permission":"READ_ONLY"}]}
                """#)
        let guid = try #require(other.json?["shortGUID"]?.string, "\(other.text)")
        #expect(await world.call(.post, "/shares/\(guid)/accept", as: .writer).status == 200)
        #expect(await world.items(of: .writer) == ["fresh", "home", "milk", "hidden", "own"])
        for (name, parent) in [
            ("home", #"{"recordName":"own"}"#), ("home", "null"), ("milk", #"{"recordName":"own"}"#),
        ] {
            let moved = await world.call(
                .patch, "/records/Item/\(name)?\(world.place(.writer))", as: .writer,
                body: #"{"fields":{},"parent":\#(parent)}"#)
            #expect(moved.status == 403, "\(name) \(parent): \(moved.text)")
        }
        let top = await world.call(.delete, "/records/Item/home?\(world.place(.writer))", as: .writer)
        #expect(top.status == 403, "\(top.text)")
        let guided = await world.call(
            .put, "/records/Item/new?\(world.place(.writer))", as: .writer,
            body: #"{"fields":{},"parent":{"recordName":"home"},"createShortGUID":true}"#)
        #expect(guided.status == 403, "\(guided.text)")
        // The reader does not take part in a share further down.
        let inner = await world.call(
            .put, "/records/cloudkit.share/inner?\(world.place(.owner))", as: .owner,
            body: #"{"fields":{},"forRecord":{"recordName":"milk"},"publicPermission":"READ_WRITE"}"#)
        let secret = try #require(inner.json?["shortGUID"]?.string, "\(inner.text)")
        let milk = await world.call(.get, "/records/Item/milk?\(world.place(.reader))", as: .reader)
        #expect(milk.status == 200 && !milk.text.contains(secret) && milk.json?["share"] == nil, "\(milk.text)")
    }

    @Test func `a participant that deletes share records by condition leaves`() async throws {
        let world = try await SharedWorld.make(whole: true)
        let gone = await world.call(
            .delete, "/query/cloudkit.share?all=true&\(world.place(.writer))", as: .writer)
        #expect(gone.status == 200, "\(gone.text)")
        #expect(await world.items(of: .writer) == nil)
        #expect(await world.items(of: .reader)?.count == 5)
    }

    @Test func `a refused record is not stored by a write beside it`() async throws {
        let world = try await SharedWorld.make()
        let api = world.database.api
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let person = number % 2 == 0 ? SharedWorld.Person.writer : .owner
                var fields = HTTPFields()
                fields.append(.authorization, "Bearer \(world.tokens[person] ?? "")")
                fields.append(.contentType, "application/json")
                guard let target = RequestTarget("/records/Plain?\(world.place(person))") else { return }
                let request = HTTPRequest(
                    method: .post, target: target, fields: fields, body: .bytes(Array(#"{"fields":{}}"#.utf8)),
                    remoteAddress: "192.0.2.1", id: "request-1")
                group.addTask {
                    let loop = api.makeContext()
                    _ = await api.respond(to: request, in: loop)
                    loop.closeReaders()
                }
            }
        }
        let stored = await world.call(.get, "/records/Plain?\(world.place(.owner))&limit=100", as: .owner)
        let creators = (stored.json?["records"]?.array ?? []).map { $0["created"]?["userRecordName"]?.string }
        #expect(creators == Array(repeating: world.names[.owner], count: 10), "\(stored.text)")
    }

    @Test func `a list of participants that is sent again changes nothing`() async throws {
        let world = try await SharedWorld.make()
        let place = world.place(.owner)
        let body = #"{"fields":{},"participants":[{"label":"grandma"}]}"#
        func save() async -> Response {
            await world.call(.patch, "/records/cloudkit.share/share?\(place)", as: .owner, body: body)
        }
        let first = await save()
        let entry = first.json?["participants"]?.array?.first { $0["label"] == "grandma" }
        let guid = try #require(entry?["shortGUID"]?.string, "\(first.text)")
        #expect(await world.call(.post, "/shares/\(guid)/accept", as: .stranger).status == 200)
        #expect(await save().status == 200)
        #expect(await world.items(of: .stranger) == ["fresh", "home", "milk"])
    }

    @Test func `what participants write counts for the owner alone`() async throws {
        var limits = DatabaseLimits()
        limits.quotas.user.records = 12
        let world = try await SharedWorld.make(limits: limits)
        var statuses: [Int] = []
        for number in 0..<10 {
            statuses.append(await world.put("w\(number)", "W", under: "home", as: .writer).status)
        }
        #expect(statuses.contains(201) && statuses.last == 413, "\(statuses)")
        #expect(await world.put("full", "Full", under: nil, as: .owner).status == 413)
    }

    @Test func `a hierarchy above the limit is not moved in part`() async throws {
        var limits = DatabaseLimits()
        limits.cascadeRecords = 5
        let world = try await SharedWorld.make(limits: limits)
        #expect(await world.put("many", "Many", under: "home", as: .owner).status == 201)
        for number in 0..<6 {
            #expect(await world.put("m\(number)", "M\(number)", under: "many", as: .owner).status == 201)
        }
        let before = await world.items(of: .reader)
        #expect(before?.count == 10)
        let moved = await world.call(
            .patch, "/records/Item/many?\(world.place(.owner))", as: .owner, body: #"{"fields":{},"parent":null}"#)
        #expect(moved.status == 413, "\(moved.text)")
        let gone = await world.call(.delete, "/records/Item/many?\(world.place(.owner))", as: .owner)
        #expect(gone.status == 413, "\(gone.text)")
        #expect(await world.items(of: .reader) == before)
    }
}
