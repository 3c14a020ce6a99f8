internal import RecordWire

enum OpenAPI {
    static func document(version: String) -> [UInt8] { [] }
}
