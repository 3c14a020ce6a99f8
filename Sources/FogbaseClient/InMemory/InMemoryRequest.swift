internal import Foundation
internal import RecordModel
internal import RecordWire

/// A parsed request.
struct InMemoryRequest {
    let method: String
    /// The path segments, percent-decoded.
    let path: [String]
    /// The path and query of the URL as received.
    let target: String
    let body: [UInt8]
    private let query: [(name: String, value: String)]
    /// The header fields, with names in lower case.
    private let fields: [String: String]

    /// Parses a request.
    ///
    /// - Throws: BAD_REQUEST if the URL cannot be decoded.
    init(_ request: TransportRequest) throws(RecordError) {
        guard let address = URLComponents(url: request.url, resolvingAgainstBaseURL: true) else {
            throw .badRequest("The address is malformed")
        }
        method = request.method
        body = request.body.map { [UInt8]($0) } ?? []
        fields = Dictionary(request.fields.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
        let rawPath = address.percentEncodedPath
        let rawQuery = address.percentEncodedQuery ?? ""
        target = rawQuery.isEmpty ? rawPath : rawPath + "?" + rawQuery
        path = try rawPath.split(separator: "/").map { text throws(RecordError) in try Self.decode(String(text)) }
        query = try rawQuery.split(separator: "&").map { item throws(RecordError) -> (String, String) in
            let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacingOccurrences(of: "+", with: " ") }
            return (try Self.decode(halves[0]), try halves.count > 1 ? Self.decode(halves[1]) : "")
        }
    }

    private static func decode(_ text: String) throws(RecordError) -> String {
        guard let decoded = text.removingPercentEncoding else {
            throw .badRequest("The address has a malformed percent escape, or one that is not UTF-8. Encode it again")
        }
        return decoded
    }

    /// The value of a query parameter; `nil` if the parameter is missing.
    subscript(parameter: String) -> String? { query.first { $0.name == parameter }?.value }

    /// Returns all values of a query parameter.
    func all(_ parameter: String) -> [String] { query.filter { $0.name == parameter }.map(\.value) }

    /// Returns a header field, by its name in lower case.
    func field(_ name: String) -> String? { fields[name] }

    /// The key of the database: container and environment.
    var databaseName: String {
        get throws(RecordError) {
            let environment = self["environment"] ?? RecordEnvironment.development.rawValue
            guard RecordEnvironment(rawValue: environment) != nil else {
                throw .badRequest("'environment' is development or production")
            }
            return "\(self["container"] ?? "") \(environment)"
        }
    }

    /// The caller's token; `nil` without an `Authorization` field.
    var token: String? {
        get throws(RecordError) {
            guard let text = field("authorization") else { return nil }
            guard text.lowercased().hasPrefix("bearer ") else {
                throw RecordError(
                    .authenticationFailed, "The Authorization field must be 'Bearer' and a token, once")
            }
            return String(text.dropFirst(7))
        }
    }

    /// The fields to return; `nil` is all of them.
    var shownFields: [String]? { self["fields"]?.split(separator: ",").map(String.init) }

    /// Returns a Boolean query parameter; `false` if the parameter is missing.
    ///
    /// - Throws: BAD_REQUEST if the parameter is neither `true` nor `false`.
    func word(_ name: String) throws(RecordError) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        default: throw .badRequest("'\(name)' is true or false", details: [("parameter", .text(name))])
        }
    }

    /// Returns the page size, in records.
    ///
    /// - Throws: BAD_REQUEST if `limit` is out of range.
    func limit(_ limits: DatabaseLimits) throws(RecordError) -> Int {
        guard let text = self["limit"] else { return limits.defaultPageSize }
        return try limits.pageLength(Int(text) ?? 0)
    }

    /// The record type in the path.
    var typeName: RecordTypeName {
        get throws(RecordError) {
            guard path.count > 1, let name = RecordTypeName(path[1]) else {
                throw .badRequest("A record type's name \(Identifier.rule)")
            }
            return name
        }
    }

    /// The record name in the path.
    var recordName: RecordName {
        get throws(RecordError) {
            guard path.count > 2, let name = RecordName(path[2]) else {
                throw .badRequest("A record name has 1 to 255 UTF-8 bytes and no control characters")
            }
            return name
        }
    }

    /// The precondition of a write, from `If-Match` and `If-None-Match`.
    var precondition: WritePrecondition {
        get throws(RecordError) {
            switch (field("if-match"), field("if-none-match")) {
            case (nil, nil): return .none
            case ("*", nil): return .exists
            case (nil, "*"): return .absent
            case (let tags?, nil): return .tags(Self.tags(tags))
            default: throw .badRequest("A write takes If-Match, or If-None-Match: *, not both")
            }
        }
    }

    /// Returns the change tags in a precondition. In an ETag, the suffix from `-` on does not belong to the change tag.
    static func tags(_ text: String) -> [String] {
        text.split(separator: ",").map { part in
            let tag = part.filter { $0 != "\"" && $0 != " " }
            // A compressing proxy makes ETags weak.
            return String((tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]).prefix { $0 != "-" })
        }
    }
}

extension DatabaseLimits {
    /// Returns the stated page size, or the default if `stated` is `nil`.
    ///
    /// - Throws: BAD_REQUEST if `stated` is out of range.
    func pageLength(_ stated: Int?) throws(RecordError) -> Int {
        guard let stated else { return defaultPageSize }
        guard (1...pageSize).contains(stated) else {
            throw .badRequest("'limit' is a number from 1 to \(pageSize)", details: [("parameter", .text("limit"))])
        }
        return stated
    }
}
