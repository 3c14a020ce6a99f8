import HTTP
import RecordWire
import TestSupport
import Testing

/// One member of a role at a time, and documents that are replaced only as they were read.
@Suite struct RoleMemberTests {
    @Test func `members are added and removed one by one`() async throws {
        let database = try await TestDatabase.make()
        let bob = try #require(database.userNames[.stranger])
        let ann = try #require(database.userNames[.creator])
        #expect(await database.call(.put, "/roles/crew", as: .administrator, body: #"{"members":[]}"#).status == 201)
        for _ in 0..<2 {
            let added = await database.call(.put, "/roles/crew/members/\(bob)", as: .administrator)
            #expect(added.status == 200 && added.json?["members"] == [.string(bob)], "\(added.text)")
            #expect(added.field("ETag")?.hasPrefix("\"") == true)
        }
        #expect(await database.call(.get, "/users/me", as: .stranger).text.contains("crew"))
        let both = await database.call(.put, "/roles/crew/members/\(ann)", as: .administrator)
        #expect(both.json?["members"]?.array?.count == 2)
        for _ in 0..<2 {
            let removed = await database.call(.delete, "/roles/crew/members/\(bob)", as: .administrator)
            #expect(removed.status == 200 && removed.json?["members"] == [.string(ann)])
        }
        #expect(await !database.call(.get, "/users/me", as: .stranger).text.tells("crew"))
        // Roles in roles.
        #expect(await database.call(.put, "/roles/all", as: .administrator, body: #"{"members":[]}"#).status == 201)
        #expect(await database.call(.put, "/roles/all/members/role:crew", as: .administrator).status == 200)
        #expect(await database.call(.get, "/users/me", as: .creator).text.contains("all"))
        #expect(await database.call(.delete, "/roles/all/members/role:crew", as: .administrator).status == 200)
        #expect(await !database.call(.get, "/users/me", as: .creator).text.contains("\"all\""))
        for (path, status) in [
            ("/roles/crew/members/bob", 400), ("/roles/crew/members/role:crew", 400),
            ("/roles/none/members/\(bob)", 404),
            ("/roles/_world/members/\(bob)", 404),
        ] {
            #expect(await database.call(.put, path, as: .administrator).status == status, "\(path)")
        }
        #expect(await database.call(.delete, "/roles/crew/members/bob", as: .administrator).status == 200)
        #expect(await database.call(.put, "/roles/crew/members/\(bob)", as: .creator).status == 403)
        for method in [HTTPMethod.put, .delete] {
            let builtIn = await database.call(method, "/roles/_icloud/members/\(bob)", as: .administrator)
            #expect(builtIn.text.contains("is built in") && !builtIn.text.tells("PUT"), "\(builtIn.text)")
            let absent = await database.call(
                method, "/roles/crew/members/\(bob)", as: .administrator, headers: [("If-None-Match", "*")])
            #expect(absent.status == 400 && absent.text.contains("If-None-Match"), "\(absent.text)")
        }
        let log = await database.call(.get, "/audit?action=role.put", as: .administrator).json?["entries"]?.array ?? []
        let changes = log.compactMap { $0["detail"]?["added"] ?? $0["detail"]?["removed"] }
        // Two of these requests, and the one for the other tests' role, replace all members.
        #expect(log.count == 8 && changes.count == 8, "\(log.count)")
    }

    @Test func `a document that changed since it was read is not replaced`() async throws {
        let database = try await TestDatabase.make()
        let bob = try #require(database.userNames[.stranger])
        _ = await database.call(
            .put, "/schema", as: .administrator,
            body: #"{"types":{"Club":{"fields":{"title":{"type":"STRING"}}}}}"#)
        _ = await database.call(.put, "/roles/crew", as: .administrator, body: #"{"members":[]}"#)
        for (path, body, other) in [
            ("/roles/crew", #"{"members":["\#(bob)"]}"#, #"{"members":[]}"#),
            ("/grants/Club", #"{"grants":{"crew":["READ"]}}"#, #"{"grants":{"_world":["READ"]}}"#),
            (
                "/schema", #"{"types":{"Club":{"fields":{"title":{"type":"STRING"},"n":{"type":"INT64"}}}}}"#,
                #"{"types":{"Club":{"fields":{"title":{"type":"STRING"},"m":{"type":"INT64"}}}}}"#
            ),
        ] {
            let read = await database.call(.get, path, as: .administrator)
            let tag = try #require(read.field("ETag"), "\(path)")
            let unread = await database.call(.get, path, as: .administrator, headers: [("If-None-Match", tag)])
            #expect(unread.status == 304 && unread.field("ETag") == tag)
            func put(_ body: String, _ tag: String) async -> (status: Int, text: String, tag: String?) {
                let response = await database.call(
                    .put, path, as: .administrator, body: body, headers: [("If-Match", tag)])
                return (response.status, response.text, response.field("ETag"))
            }
            let first = await put(body, tag)
            #expect(first.status == 200, "\(first.text)")
            #expect(first.tag != tag)
            #expect(await database.call(.get, path, as: .administrator).field("ETag") == first.tag)
            let late = await put(other, tag)
            #expect(late.status == 412 && late.text.contains("PRECONDITION_FAILED"), "\(path) \(late.text)")
            #expect(await database.call(.get, path, as: .administrator).field("ETag") == first.tag)
            #expect(await put(other, "nonsense").status == 400)
            // Tags as compressing proxies change them: nginx weakens tags, Apache adds the coding.
            #expect(await put(other, "W/" + tag).status == 412)
            #expect(await put(body, "W/" + (first.tag ?? "")).status == 200)
            #expect(await put(body, (first.tag?.dropLast() ?? "") + "-gzip\"").status == 200)
            #expect(await put(body, "\"x\", \(first.tag ?? "")").status == 200)
            #expect(await put(body, "*").status == 200)
        }
        func headers(_ tag: String) -> [(String, String)] { [("If-Match", tag)] }
        let stale = headers("\"stale\"")
        for method in [HTTPMethod.put, .delete] {
            let response = await database.call(
                method, "/roles/crew/members/\(bob)", as: .administrator, headers: stale)
            #expect(response.status == 412)
        }
        #expect(await database.call(.delete, "/roles/crew", as: .administrator, headers: stale).status == 412)
        #expect(await database.call(.delete, "/roles/none", as: .administrator, headers: stale).status == 412)
        let once = [("If-None-Match", "*")]
        let body = #"{"members":[]}"#
        #expect(await database.call(.put, "/roles/new", as: .administrator, body: body, headers: once).status == 201)
        #expect(await database.call(.put, "/roles/new", as: .administrator, body: body, headers: once).status == 412)
        let tag = try #require(await database.call(.get, "/roles/new", as: .administrator).field("ETag"))
        #expect(await database.call(.delete, "/roles/new", as: .administrator, headers: headers(tag)).status == 204)
    }

    @Test func `a document from development leaves production's rights unchanged on request`() async throws {
        let database = try await TestDatabase.make()
        _ = await database.call(.put, "/roles/crew", as: .administrator, body: #"{"members":[]}"#)
        let locked = #"""
            {"types":{"Club":{"fields":{"title":{"type":"STRING","write":["crew"]},"old":{"type":"STRING"}},
            "grants":{"crew":["READ"]},"acl":{"_creator":["read"]}},"Gone":{"fields":{"a":{"type":"STRING"}}}}}
            """#
        #expect(await database.call(.put, "/schema", as: .administrator, body: locked).status == 200)
        let before = await database.call(.get, "/schema", as: .administrator)
        let open = #"""
            {"types":{"Club":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"],"write":["_world"]},
            "extra":{"type":"INT64","read":["crew"]}},"grants":{"_world":["READ","CREATE","WRITE"]},"acl":null},
            "Room":{"fields":{"n":{"type":"INT64"}},"grants":{"_world":["READ"]}}}}
            """#
        let expected: JSONValue = [
            "types": ["added": ["Room"], "changed": ["Club"], "removed": ["Gone"]],
            "fields": ["added": ["Club.extra"], "changed": ["Club.title"], "removed": ["Club.old"]], "rights": [],
        ]
        let club = { (json: JSONValue?) in json?["types"]?["Club"] }
        let tried = await database.call(.put, "/schema?rights=keep&dryRun=true", as: .administrator, body: open)
        #expect(tried.status == 200 && tried.json?["dryRun"] == true, "\(tried.text)")
        let after = await database.call(.get, "/schema", as: .administrator)
        #expect(after.text == before.text && after.field("ETag") == before.field("ETag"))
        let kept = await database.call(.put, "/schema?rights=keep", as: .administrator, body: open)
        #expect(kept.status == 200 && kept.json?["dryRun"] == nil)
        for response in [tried, kept] {
            // A new field takes the roles of the document, which changes the grants of the type.
            #expect(response.json?["changes"]?["types"] == expected["types"], "\(response.text)")
            #expect(response.json?["changes"]?["fields"] == expected["fields"])
            #expect(response.json?["changes"]?["rights"] == ["Club"])
            #expect(club(response.json)?["grants"] == ["crew": ["READ"]])
            #expect(club(response.json)?["acl"] == ["_creator": ["read"]])
            #expect(club(response.json)?["fields"]?["title"]?["write"] == ["crew"])
            #expect(club(response.json)?["fields"]?["extra"]?["read"] == ["crew"])
            #expect(response.json?["types"]?["Room"]?["grants"] == ["_world": ["READ"]])
        }
        // A response is a valid document, and putting it changes nothing.
        let again = await database.call(.put, "/schema", as: .administrator, body: kept.text)
        #expect(again.status == 200 && again.json?["changes"]?["types"]?["changed"] == [], "\(again.text)")
        let replaced = await database.call(.put, "/schema?rights=replace", as: .administrator, body: open)
        #expect(replaced.json?["changes"]?["rights"] == ["Club"])
        #expect(club(replaced.json)?["grants"] == ["_world": ["CREATE", "READ", "WRITE"]], "\(replaced.text)")
        #expect(club(replaced.json)?["acl"] == nil)
        #expect(await database.call(.put, "/schema?rights=none", as: .administrator, body: open).status == 400)
        let made = await database.call(
            .put, "/records/Club/c", as: .administrator, body: #"{"acl":null,"fields":{"title":"x"}}"#)
        #expect(made.status == 201, "\(made.text)")
        let bad = #"{"types":{"Club":{"fields":{"title":{"type":"INT64"}}}}}"#
        #expect(await database.call(.put, "/schema?dryRun=true", as: .administrator, body: bad).status == 400)
        let log = await database.call(.get, "/audit?action=schema.put", as: .administrator).json?["entries"]?.array
        #expect(log?.count == 4)
    }
}
