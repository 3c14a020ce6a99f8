import ExampleSupport
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The requests of CloudKit Web Services for a user or a guest, in one database and zone.
///
/// Apple's server takes the same requests at `https://api.apple-cloudkit.com`.
struct WebServices: Sendable {
    let server: URL
    let container: String
    var environment = "development"
    /// `public` or `private`.
    var database = "public"
    /// The zone of all requests; nil for the default zone.
    var zone: ZoneID?
    let apiToken: String
    /// The session of the user; nil for a guest.
    var session: WebSession?

    func inDatabase(_ name: String, zone: String? = nil) -> WebServices {
        var services = self
        (services.database, services.zone) = (name, zone.map(ZoneID.init))
        return services
    }

    // MARK: Requests

    /// Posts a body to an operation, and again if the server asks for that.
    ///
    /// - Throws: `CloudError`, or the error of the connection.
    func send<Response: Decodable>(_ operation: String, _ body: some Encodable) async throws -> Response {
        let data = try JSONEncoder().encode(body)
        var attempts = 1
        while true {
            do {
                return try JSONDecoder().decode(Response.self, from: try await post(data, to: try await url(operation)))
            } catch let error as CloudError {
                guard let seconds = error.retryAfter, attempts < 10 else { throw error }
                attempts += 1
                try await Task.sleep(for: .seconds(seconds))
            }
        }
    }

    /// Returns `server/database/1/container/environment/database/operation?ckAPIToken=…&ckWebAuthToken=…`.
    private func url(_ operation: String) async throws -> URL {
        var address = "\(server.absoluteString)/database/1/\(container)/\(environment)/\(database)/\(operation)"
        address += "?ckAPIToken=\(Self.encoded(apiToken))"
        if let token = await session?.token { address += "&ckWebAuthToken=\(Self.encoded(token))" }
        guard let url = URL(string: address) else { throw ExampleFailure("'\(address)' is no URL") }
        return url
    }

    /// A token may have characters that mean something else in a URL, above all the plus sign.
    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    private func post(_ data: Data, to url: URL) async throws -> Data {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = data
        let (body, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw ExampleFailure("the server speaks HTTP") }
        if let token = response.value(forHTTPHeaderField: "X-Apple-CloudKit-Web-Auth-Token") {
            await session?.renew(token)
        }
        guard response.statusCode < 400 else { throw try JSONDecoder().decode(CloudError.self, from: body) }
        return body
    }

    // MARK: Records

    private struct Modification: Encodable {
        var operations: [RecordOperation]
        var zoneID: ZoneID?
        var desiredKeys: [String]?
    }

    private struct Records: Decodable {
        var records: [Item<CloudRecord>]
    }

    /// Executes at most 200 operations. The result has an item for each, in order.
    func modify(_ operations: [RecordOperation], desiredKeys: [String]? = nil) async throws -> [Item<CloudRecord>] {
        let body = Modification(operations: operations, zoneID: zone, desiredKeys: desiredKeys)
        let response: Records = try await send("records/modify", body)
        return response.records
    }

    private struct Lookup: Encodable {
        struct Name: Encodable { var recordName: String }
        var records: [Name]
        var zoneID: ZoneID?
    }

    /// Returns an item for each of at most 200 names, in order.
    func lookUp(_ names: [String]) async throws -> [Item<CloudRecord>] {
        let body = Lookup(records: names.map(Lookup.Name.init), zoneID: zone)
        let response: Records = try await send("records/lookup", body)
        return response.records
    }

    // MARK: Zones and changes

    private struct ZoneOperation: Encodable {
        struct Zone: Encodable { var zoneID: ZoneID }
        var operationType = "create"
        var zone: Zone
    }

    private struct Zones: Decodable {
        struct Zone: Decodable, Sendable { var zoneID: ZoneID }
        var zones: [Item<Zone>]
        var syncToken: String?
        var moreComing: Bool?
    }

    /// Creates the zone of these requests. It may exist.
    func createZone() async throws {
        guard let zone else { return }
        let operation = ZoneOperation(zone: ZoneOperation.Zone(zoneID: zone))
        let response: Zones = try await send("zones/modify", ["operations": [operation]])
        _ = try response.zones.map { try $0.get() }
    }

    /// Returns the zones of the database that have changed since a token, and the next token.
    func changedZones(since token: String?) async throws -> (zones: [ZoneID], token: String?) {
        var (zones, token) = ([ZoneID](), token)
        while true {
            let page: Zones = try await send("changes/database", token.map { ["syncToken": $0] } ?? [:])
            zones += try page.zones.map { try $0.get().zoneID }
            token = page.syncToken
            guard page.moreComing == true else { return (zones, token) }
        }
    }

    private struct ChangesOf: Encodable {
        var zoneID: ZoneID?
        var syncToken: String?
    }

    /// A page of the changes of a zone.
    struct Changes: Decodable, Sendable {
        var records: [CloudRecord]
        var syncToken: String
        var moreComing: Bool
    }

    private struct ChangedZones: Decodable {
        var zones: [Item<Changes>]
    }

    /// Returns the next page of the zone's changes since a token. Each record comes once, as it is now or as deleted.
    func changes(since token: String?) async throws -> Changes {
        let body = ["zones": [ChangesOf(zoneID: zone, syncToken: token)]]
        let response: ChangedZones = try await send("changes/zone", body)
        guard let zone = response.zones.first else { throw ExampleFailure("the server has an answer for each zone") }
        return try zone.get()
    }

    // MARK: Files

    private struct Upload: Encodable {
        struct Token: Encodable {
            var recordType: String
            var fieldName: String
            var recordName: String
        }
        var tokens: [Token]
        var zoneID: ZoneID?
    }

    private struct Destinations: Decodable {
        struct Token: Decodable { var url: URL }
        var tokens: [Token]
    }

    private struct Uploaded: Decodable {
        var singleFile: Asset
    }

    /// Uploads a file for a field of a record, in two steps: asks for a URL, and sends the bytes to it. The URL is the
    /// permission, so it needs no token.
    func upload(_ data: Data, for field: String, of record: String, type: String) async throws -> Asset {
        let token = Upload.Token(recordType: type, fieldName: field, recordName: record)
        let response: Destinations = try await send("assets/upload", Upload(tokens: [token], zoneID: zone))
        guard let url = response.tokens.first?.url else { throw ExampleFailure("the server gives a URL per file") }
        return try JSONDecoder().decode(Uploaded.self, from: try await post(data, to: url)).singleFile
    }

    /// Downloads a file.
    func download(_ asset: Asset) async throws -> Data {
        guard let url = asset.downloadURL else { throw ExampleFailure("an asset of a record has a URL") }
        return try await URLSession.shared.data(from: url).0
    }
}

/// The web auth token of a signed-in user. Each response has the next one.
actor WebSession {
    private(set) var token: String

    init(_ token: String) {
        self.token = token
    }

    func renew(_ token: String) { self.token = token }
}
