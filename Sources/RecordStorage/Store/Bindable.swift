package import Cryptography
package import RecordModel

/// A value that can be bound to a statement's parameter.
package protocol Bindable {
    /// Binds the value to the parameter with number `index`.
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

/// Bound as 1 or 0.
extension Bool: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, self ? 1 : 0 as Int64) }
}

extension String: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, text: self) }
}

/// Bound as a blob.
extension [UInt8]: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, blob: self) }
}

/// Bound as a blob.
extension UnsafeRawBufferPointer: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, blob: self) }
}

/// Bound as a blob.
extension Digest: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) {
        withUnsafeBytes { statement.bind(index, blob: $0) }
    }
}

/// Bound as NULL for `nil`.
extension Optional: Bindable where Wrapped: Bindable {
    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) {
        if let self { self.bind(to: statement, index) } else { statement.bindNull(index) }
    }
}

/// A text of UTF-8 that the caller has validated.
package struct TextBytes: Bindable {
    private let bytes: [UInt8]

    /// Creates a text from UTF-8.
    @inline(__always)
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, text: bytes) }
}

/// A list of IDs of any length in one parameter: for SQLite a JSON array for `json_each`.
package struct IDList<ID: StoredID>: Bindable {
    private let ids: [ID]

    /// Creates a list.
    package init(_ ids: [ID]) {
        self.ids = ids
    }

    package func bind(to statement: Statement, _ index: Int32) {
        statement.bind(index, text: "[" + ids.map { String($0.rawValue) }.joined(separator: ",") + "]")
    }
}
