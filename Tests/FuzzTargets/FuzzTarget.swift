/// A reader of bytes from untrusted clients, with properties that must hold for any bytes.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Heads of requests, and bodies in chunks.
    case http, chunked
    /// Fields of heads that have a grammar of their own.
    case semantics
    /// Bodies of forms.
    case multipart
    /// The content of `Content-Encoding: gzip`.
    case gzip
    /// JSON by itself, and bodies of requests.
    case json, requests
    /// A record from its body to the form in which it is stored, and that form damaged.
    case record, stored
    /// Texts of conditions.
    case predicate
    /// Headers of pictures.
    case picture
    /// Tables in text files, such as CSV.
    case table

    /// The problem found in reading the bytes; `nil` if there is none. A crash needs no report.
    package func objection(_ bytes: [UInt8]) -> String? {
        switch self {
        case .http: HTTPFuzz.head(bytes)
        case .chunked: HTTPFuzz.chunked(bytes)
        case .semantics: HTTPFuzz.semantics(bytes)
        case .multipart: HTTPFuzz.multipart(bytes)
        case .gzip: GzipFuzz.objection(bytes)
        case .json: WireFuzz.json(bytes)
        case .requests: WireFuzz.requests(bytes)
        case .record: WireFuzz.record(bytes)
        case .stored: WireFuzz.stored(bytes)
        case .predicate: PredicateFuzz.objection(bytes)
        case .picture: PictureFuzz.objection(bytes)
        case .table: TableFuzz.objection(bytes)
        }
    }
}

/// Takes the first bytes of an input for choices, and leaves the rest.
struct FuzzChoices {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// A number from 0 on and below `count`; 0 when the input is at its end.
    mutating func number(below count: Int) -> Int {
        guard count > 1, let first = rest.popFirst() else { return 0 }
        guard count > 256, let second = rest.popFirst() else { return Int(first) % count }
        return (Int(first) << 8 | Int(second)) % count
    }
}
