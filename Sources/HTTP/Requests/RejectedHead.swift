/// The fields of a rejected head that decide which web pages may read the rejection, and how.
///
/// Browsers show a response without CORS fields as a failure of CORS, and hide what was wrong with the request. The head
/// is read line by line, without its limits: lines are cut off.
public struct RejectedHead {
    /// The method of a preflight, or else GET.
    public private(set) var method = HTTPMethod.get
    /// The fields that `CORSPolicy` reads, and Accept.
    public private(set) var fields = HTTPFields()
    /// Whether the head has ended.
    public private(set) var isComplete = false

    private var line: [UInt8] = []
    private var hasRequestLine = false

    /// The maximum number of bytes of a line that are kept.
    private static let lineBytes = 1_024
    private static let names: [HTTPFieldName] = [
        .accept, .origin, .accessControlRequestMethod, .accessControlRequestHeaders,
    ]

    /// Creates the state before the first byte.
    public init() {}

    /// Reads the next bytes.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !isComplete, !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            line += rest[rest.startIndex..<end].prefix(Self.lineBytes - line.count)
            guard end < rest.endIndex else { return }
            endLine()
            rest = rest[(end + 1)...]
        }
    }

    private mutating func endLine() {
        if line.last == 0x0D { line.removeLast() }
        defer { line.removeAll(keepingCapacity: true) }
        guard hasRequestLine else {
            hasRequestLine = !line.isEmpty
            if line.starts(with: "OPTIONS ".utf8) { method = .options }
            return
        }
        isComplete = line.isEmpty
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return }
        let name = HTTPFieldName(String(decoding: line[..<colon], as: UTF8.self))
        if let name, Self.names.contains(name) { fields.append(name, ascii: line[(colon + 1)...]) }
    }
}
