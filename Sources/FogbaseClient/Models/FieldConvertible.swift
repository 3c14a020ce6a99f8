public import Foundation
public import RecordModel

/// A type whose values can be stored in a field.
///
/// An enumeration with raw values only needs to declare the conformance:
///
/// ```swift
/// enum State: String, FieldConvertible { case open, done }
/// ```
public protocol FieldConvertible: Sendable {
    /// The field type in the schema.
    static var fieldType: FieldType { get }

    /// Creates a Swift value from a field value; `nil` if the field value has another type or is out of range.
    init?(fieldValue: FieldValue)

    /// The field value that represents the Swift value.
    var fieldValue: FieldValue { get }
}

extension FieldConvertible where Self: RawRepresentable, RawValue: FieldConvertible {
    public static var fieldType: FieldType { RawValue.fieldType }

    public init?(fieldValue: FieldValue) {
        guard let raw = RawValue(fieldValue: fieldValue) else { return nil }
        self.init(rawValue: raw)
    }

    public var fieldValue: FieldValue { rawValue.fieldValue }
}

extension FieldConvertible where Self: FixedWidthInteger {
    public static var fieldType: FieldType { .int64 }

    public init?(fieldValue: FieldValue) {
        guard case .int64(let number) = fieldValue, let exact = Self(exactly: number) else { return nil }
        self = exact
    }

    public var fieldValue: FieldValue { .int64(Int64(self)) }
}

extension Int: FieldConvertible {}
extension Int64: FieldConvertible {}
extension Int32: FieldConvertible {}
extension Int16: FieldConvertible {}
extension Int8: FieldConvertible {}
extension UInt32: FieldConvertible {}
extension UInt16: FieldConvertible {}

extension String: FieldConvertible {
    public static var fieldType: FieldType { .string }

    public init?(fieldValue: FieldValue) {
        guard case .string(let text) = fieldValue else { return nil }
        self = text
    }

    public var fieldValue: FieldValue { .string(self) }
}

extension Bool: FieldConvertible {
    /// Booleans are stored as INT64: 1 for `true`, 0 for `false`.
    public static var fieldType: FieldType { .int64 }

    public init?(fieldValue: FieldValue) {
        guard case .int64(let number) = fieldValue, number == 0 || number == 1 else { return nil }
        self = number == 1
    }

    public var fieldValue: FieldValue { .int64(self ? 1 : 0) }
}

extension Double: FieldConvertible {
    public static var fieldType: FieldType { .double }

    /// Creates a number from a DOUBLE or INT64 value. A record can still have INT64 values after its field was widened
    /// to DOUBLE.
    public init?(fieldValue: FieldValue) {
        switch fieldValue {
        case .double(let number): self = number
        case .int64(let number): self = Double(number)
        default: return nil
        }
    }

    public var fieldValue: FieldValue { .double(self) }
}

extension Float: FieldConvertible {
    public static var fieldType: FieldType { .double }

    public init?(fieldValue: FieldValue) {
        guard let number = Double(fieldValue: fieldValue) else { return nil }
        self.init(number)
    }

    public var fieldValue: FieldValue { .double(Double(self)) }
}

extension Date: FieldConvertible {
    public static var fieldType: FieldType { .timestamp }

    public init?(fieldValue: FieldValue) {
        guard case .timestamp(let milliseconds) = fieldValue else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// The date, rounded to milliseconds. Dates more than 290 million years away are clamped.
    public var fieldValue: FieldValue { .timestamp(milliseconds) }

    /// Creates a date from milliseconds since 1970.
    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    /// The milliseconds since 1970, rounded and clamped to `Int64`.
    package var milliseconds: Int64 {
        Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) ?? (timeIntervalSince1970 < 0 ? .min : .max)
    }
}

extension Data: FieldConvertible {
    public static var fieldType: FieldType { .bytes }

    public init?(fieldValue: FieldValue) {
        guard case .bytes(let bytes) = fieldValue else { return nil }
        self.init(bytes)
    }

    public var fieldValue: FieldValue { .bytes(Array(self)) }
}

extension UUID: FieldConvertible {
    /// UUIDs are stored as STRING, in the usual form of 36 characters.
    public static var fieldType: FieldType { .string }

    public init?(fieldValue: FieldValue) {
        guard case .string(let text) = fieldValue else { return nil }
        self.init(uuidString: text)
    }

    public var fieldValue: FieldValue { .string(uuidString) }
}

extension URL: FieldConvertible {
    public static var fieldType: FieldType { .string }

    public init?(fieldValue: FieldValue) {
        guard case .string(let text) = fieldValue else { return nil }
        self.init(string: text)
    }

    public var fieldValue: FieldValue { .string(absoluteString) }
}

extension Reference: FieldConvertible {
    public static var fieldType: FieldType { .reference }

    public init?(fieldValue: FieldValue) {
        guard case .reference(let reference) = fieldValue else { return nil }
        self = reference
    }

    public var fieldValue: FieldValue { .reference(self) }
}

extension Asset: FieldConvertible {
    public static var fieldType: FieldType { .asset }

    public init?(fieldValue: FieldValue) {
        guard case .asset(let asset) = fieldValue else { return nil }
        self = asset
    }

    public var fieldValue: FieldValue { .asset(self) }
}

extension Location: FieldConvertible {
    public static var fieldType: FieldType { .location }

    public init?(fieldValue: FieldValue) {
        guard case .location(let location) = fieldValue else { return nil }
        self = location
    }

    public var fieldValue: FieldValue { .location(self) }
}

extension Array: FieldConvertible where Element: FieldConvertible {
    public static var fieldType: FieldType { Element.fieldType.list }

    public init?(fieldValue: FieldValue) {
        guard case .list(_, let members) = fieldValue else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(members.count)
        for member in members {
            guard let element = Element(fieldValue: member) else { return nil }
            elements.append(element)
        }
        self = elements
    }

    public var fieldValue: FieldValue { .list(element: Element.fieldType, map(\.fieldValue)) }
}
