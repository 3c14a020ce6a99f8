package import Cryptography
package import RecordModel

/// A value that a statement's parameter takes.
package protocol Bindable {
    func bind(to statement: Statement, _ index: Int32)
}

extension Int64: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self) }
}

extension Int: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, Int64(self)) }
}

extension UInt8: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, Int64(self)) }
}

/// As 1 and 0.
extension Bool: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self ? 1 : 0 as Int64) }
}

extension String: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, text: self) }
}

/// As a blob.
extension [UInt8]: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, blob: self) }
}

/// As a blob.
extension UnsafeRawBufferPointer: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, blob: self) }
}

/// As a blob.
extension Digest: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) {
        withUnsafeBytes { statement.bind(index, blob: $0) }
    }
}

/// NULL for `nil`.
extension Optional: Bindable where Wrapped: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) {
        if let self { self.bind(to: statement, index) } else { statement.bindNull(index) }
    }
}

/// Text as UTF-8 that was checked by whoever made it.
package struct TextBytes: Bindable {
    private let bytes: [UInt8]

    @inline(__always)
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, text: bytes) }
}

/// A list of numbers of any length in one parameter: for SQLite the JSON array that `json_each` reads.
package struct IDList<ID: StoredID>: Bindable {
    private let ids: [ID]

    package init(_ ids: [ID]) {
        self.ids = ids
    }

    package func bind(to statement: Statement, _ index: Int32) {
        statement.bind(index, text: "[" + ids.map { String($0.rawValue) }.joined(separator: ",") + "]")
    }
}
