import Foundation
import HTTP
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import Testing

@testable import RecordAPI

/// A server with what the exchanges of the table need: the trees `a`, `b` and `c` in Ann's public records, and in the
/// zone `A` of her private database.
///
/// Most values are made when an exchange first names them. One task at a time uses it.
final class SupportWorld {
    private let client: CloudKitClient
    private let faults = StoreFaults()
    private let ann: String
    private let bob: String
    private var values: [String: String] = [:]

    /// Header fields in which expected texts are sought.
    private static let fields = [
        "Allow", "Access-Control-Allow-Origin", "Retry-After", "X-Apple-CloudKit-Web-Auth-Token",
    ]
    private static let trees = [
        """
        'recordName':'a','fields':{'title':{'value':'Bramley apple'},'count':{'value':14},'weight':{'value':1.5},
        'at':{'value':1000,'type':'TIMESTAMP'},'tags':{'value':['red','green']},
        'link':{'value':{'recordName':'b','action':'NONE'}},'place':{'value':{'latitude':35.0,'longitude':139.0}}}
        """,
        """
        'recordName':'b','fields':{'title':{'value':'Cox'},'count':{'value':3},'weight':{'value':2.5},
        'at':{'value':2000,'type':'TIMESTAMP'},'tags':{'value':['blue','red']},
        'place':{'value':{'latitude':48.0,'longitude':2.0}}}
        """,
        "'recordName':'c','fields':{'title':{'value':'Damson plum'},'count':{'value':1},'tags':{'value':['white']}}",
    ]

    /// Makes the world for a row.
    init(for row: SupportRow) async throws {
        var limits = DatabaseLimits()
        if row.trouble == .limited { limits.bodyBytes = 4_000 }
        let isLimited = row.trouble == .limited
        let canFail = row.trouble == .broken || row.trouble == .late
        client = try await CloudKitClient.make(
            token: #","origins":["https://app.example.org"]"#, limits: limits,
            drivers: StoreDrivers(reader: canFail ? faults.makeDriver : nil)
        ) { configuration in
            guard isLimited else { return }
            var rates = RateLimits()
            rates.upload = RateLimit(1, per: .hour, burst: 1)
            configuration.rateLimits = rates
        }
        ann = try await client.signIn()
        bob = try await client.signIn(as: "bob")
        if row.isOfSearches {
            let title = "{'title':{'type':'STRING','indexes':['SEARCHABLE']}}"
            try await native(.put, "/schema", as: .administrator, "{'types':{'Tree':{'fields':\(title)}}}")
        }
        try await plant(in: "public", zone: nil)
        let text = row.request + row.expected.joined()
        if row.request.contains("private/") || row.request.contains("shared/") || text.contains("{guid}") {
            try await native(.put, "/zones/A?database=private", as: .creator)
            try await plant(in: "private", zone: "A")
        }
        if row.request.contains("shared/") {
            try await send("public/records/accept {'shortGUIDs':[{'value':'{guid}'}]}", as: .bob)
        }
    }

    private func plant(in database: String, zone: String?) async throws {
        let operations = Self.trees.map { "{'operationType':'create','record':{'recordType':'Tree',\($0)}}" }
        let zone = zone.map { ",'zoneID':{'zoneName':'\($0)'}" } ?? ""
        let made = try await send(
            "\(database)/records/modify {'operations':[\(operations.joined(separator: ","))]\(zone)}")
        for record in made.records {
            let name = record["recordName"]?.string ?? ""
            values[(zone.isEmpty ? "tag" : "zoneTag") + name.uppercased()] = record["recordChangeTag"]?.string
        }
    }

    // MARK: Exchanges

    /// Sends the request of a row and returns status, header fields and body of the response.
    func play(_ row: SupportRow, request: String? = nil) async throws -> (status: Int, text: String) {
        let request = try await filled(request ?? row.request)
        switch row.trouble {
        case .none, .limited: break
        case .broken: faults.plan = FaultPlan(failAt: 0, with: StoreFailure(.other, "broken"), lasts: true)
        case .late: faults.plan = FaultPlan(failAt: 0, with: StoreFailure(.interrupted, "late"), lasts: true)
        }
        let response = try await call(request, as: row.caller)
        faults.plan = nil
        var text = response.text
        if let events = response.events {
            events.tick(now: 1)
            events.tick(now: 100_000_000_000)
            while let piece = try await events.next() { text += String(decoding: piece, as: UTF8.self) }
        }
        let fields = Self.fields.compactMap { name in response.field(name).map { "\(name): \($0)\n" } }
        return (response.status, fields.joined() + text)
    }

    /// Sends a request that prepares an exchange.
    @discardableResult
    private func send(_ request: String, as caller: SupportRow.Caller = .ann) async throws -> Response {
        let response = try await call(try await filled(request), as: caller)
        try #require(
            response.status == 200 && !response.text.contains("serverErrorCode"), "\(request): \(response.text)")
        return response
    }

    /// Sends a request of the native interface that prepares an exchange.
    private func native(
        _ method: HTTPMethod, _ target: String, as who: TestDatabase.Who, _ body: String? = nil
    ) async throws {
        let response = await client.test.call(method, target, as: who, body: body.map(Self.json))
        try #require((200..<300).contains(response.status), "\(target): \(response.text)")
    }

    private func call(_ request: String, as caller: SupportRow.Caller) async throws -> Response {
        var parts = request.split(separator: " ", maxSplits: 1).map(String.init)
        var method = HTTPMethod.post
        if let named = [HTTPMethod.get, .post, .put].first(where: { $0.text == parts.first }) {
            method = named
            parts = parts[1].split(separator: " ", maxSplits: 1).map(String.init)
        }
        let body = parts.count > 1 ? Self.json(parts[1]) : nil
        let path = parts[0].hasPrefix("/") ? parts[0] : "\(CloudKitClient.root)/\(parts[0])"
        let target = path + (path.contains("?") ? "&" : "?")
        let token = "ckAPIToken=\(client.token)"
        return switch caller {
        case .ann: await client.test.call(method, "\(target)\(token)&ckWebAuthToken=\(ann)", body: body)
        case .bob: await client.test.call(method, "\(target)\(token)&ckWebAuthToken=\(bob)", body: body)
        case .token: await client.test.call(method, target + token, body: body)
        case .nobody: await client.test.call(method, path, body: body)
        case .foreignPage:
            await client.test.call(
                method, target + token, body: body, headers: [("Origin", "https://other.example.org")])
        case .forger:
            await client.test.call(method, path, body: body, headers: try client.fields("/another/path"))
        case .key:
            await client.test.call(method, path, body: body, headers: try client.fields(path, body: body ?? ""))
        }
    }

    /// The text with quotation marks and apostrophes instead of what stands for them.
    static func json(_ text: String) -> String { text.replacing("'", with: "\"").replacing("`", with: "'") }

    // MARK: Values

    /// The text with the values of all `{word}`.
    func filled(_ text: String) async throws -> String {
        var result = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: #/\{([a-zA-Z]+)\}/#) {
            result += rest[..<match.range.lowerBound] + (try await value(String(match.output.1)))
            rest = rest[match.range.upperBound...]
        }
        return result + rest
    }

    private func value(_ name: String) async throws -> String {
        if let value = values[name] { return value }
        let value = try await make(name)
        values[name] = value
        return value
    }

    private func make(_ name: String) async throws -> String {
        switch name {
        case "ann": return try #require(client.test.userNames[.creator])
        case "bob": return try #require(client.test.userNames[.stranger])
        case "token": return client.token
        case "many": return Array(repeating: "{'recordName':'x'}", count: 201).joined(separator: ",")
        case "long": return String(repeating: "x", count: 5_000)
        case "marker":
            return try await text(
                "public/records/query {'query':{'recordType':'Tree','sortBy':[{'fieldName':'count'}]},'resultsLimit':1}"
            ) { $0["continuationMarker"] }
        case "databaseToken": return try await text("private/changes/database") { $0["syncToken"] }
        case "zoneToken":
            return try await text("private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'}}]}") {
                $0["zones"]?.array?.first?["syncToken"]
            }
        case "gone":
            try await send(
                "private/records/modify {'zoneID':{'zoneName':'A'},'operations':[{'operationType':'forceDelete',"
                    + "'record':{'recordName':'c'}}]}")
            return "c"
        case "guid": return try await share()
        case "url":
            let url = try await text(
                "public/assets/upload {'tokens':[{'recordType':'Tree','fieldName':'photo','recordName':'p'}]}"
            ) { $0["tokens"]?.array?.first?["url"] }
            return try CloudKitAssetTests.path(of: url)
        case "file":
            let made = await client.test.call(.post, try await value("url"), body: "hello")
            let file = String(decoding: try #require(made.json?["singleFile"]).bytes, as: UTF8.self)
            return file.replacing("\"", with: "'")
        case "photo":
            try await send(
                """
                public/records/modify {'operations':[{'operationType':'create','record':{'recordName':'p',\
                'recordType':'Tree','fields':{'photo':{'value':{file}}}}}]}
                """)
            return "p"
        case "apns": return try await text("/device/1/Forum/development/tokens/create") { $0["apnsToken"] }
        case "poll": return try await push()
        case "names":
            try await native(
                .patch, "/records/Users/{creator}", as: .creator, "{'fields':{'firstName':'Ann','lastName':'Lee'}}")
            return "Lee"
        case "unique":
            try await native(
                .post, "/schema/types/Tree/indexes", as: .administrator, "{'fields':['title'],'unique':true}")
            return "Cox"
        case "secret":
            try await add("Secret", "{'editors':['READ','WRITE']}")
            return "s"
        case "drop":
            try await add("Drop", "{'_icloud':['WRITE']}")
            return "d"
        case "production": return try await production()
        default: throw SupportProblem(text: "there is no value {\(name)}")
        }
    }

    private func text(_ request: String, _ find: (JSONValue) -> JSONValue?) async throws -> String {
        let response = try await send(request)
        return try #require(response.json.flatMap(find)?.string, "\(request): \(response.text)")
    }

    /// Ann shares `a` of the zone `A` with everyone who has the link.
    private func share() async throws -> String {
        let root = try await send(
            """
            private/records/modify {'zoneID':{'zoneName':'A'},'operations':[{'operationType':'forceUpdate',\
            'record':{'recordName':'a','createShortGUID':true,'fields':{}}}]}
            """)
        try await send(
            """
            private/records/modify {'zoneID':{'zoneName':'A'},'operations':[{'operationType':'create',\
            'record':{'recordName':'share','recordType':'cloudkit.share','fields':{},\
            'forRecord':{'recordName':'a'},'publicPermission':'READ_WRITE','participants':[]}}]}
            """)
        return try #require(root.records.first?["shortGUID"]?.string, "\(root.text)")
    }

    /// Adds a record of a new type, whose name is the type's first letter, and the grants of the type.
    private func add(_ type: String, _ grants: String) async throws {
        try await native(.put, "/records/\(type)/\(type.prefix(1).lowercased())", as: .administrator, "{}")
        try await native(.put, "/grants/\(type)", as: .administrator, "{'grants':\(grants)}")
    }

    /// The path that a device polls, for which there is a push about a new tree.
    private func push() async throws -> String {
        try await send(
            """
            public/subscriptions/modify {'operations':[{'operationType':'create','subscription':{'subscriptionID':'s',\
            'subscriptionType':'query','query':{'recordType':'Tree'},'firesOn':['create'],\
            'notificationInfo':{'alertBody':'New','alertLocalizationKey':'K','alertLocalizationArgs':['title'],\
            'alertActionLocalizationKey':'L','alertLaunchImage':'I','soundName':'S','shouldBadge':true,\
            'shouldSendContentAvailable':true,'category':'C','additionalFields':['title']}}}]}
            """)
        let url = try await text("/device/1/Forum/development/tokens/create") { $0["webcourierURL"] }
        try await send(
            """
            public/records/modify {'operations':[{'operationType':'create','record':{'recordName':'d',\
            'recordType':'Tree','fields':{'title':{'value':'Discovery'}}}}]}
            """)
        return try CloudKitAssetTests.path(of: url)
    }

    /// An API token of the production environment, whose schema has a type without indexes.
    private func production() async throws -> String {
        try await native(
            .put, "/schema?environment=production", as: .administrator,
            "{'types':{'Tree':{'fields':{'title':{'type':'STRING'}}}}}")
        let made = await client.test.call(
            .post, "/cloudkit/tokens?environment=production", as: .administrator, body: #"{"name":"App"}"#)
        return try #require(made.json?["token"]?.string, "\(made.text)")
    }
}

/// A row that names an unknown value.
struct SupportProblem: Error {
    let text: String
}
