public import Foundation
public import RecordModel

/// A value that a field can have.
///
/// An enumeration with raw values needs to say no more than that it is one:
/// `enum State: String, FieldConvertible { case open, done }`.
public protocol FieldConvertible: Sendable {
    /// The type of the field, as the schema has it.
    static var fieldType: FieldType { get }

    /// Reads a field's value; `nil` if it cannot stand for one of this type.
    init?(fieldValue: FieldValue)

    /// The value as a field has it.
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
    /// There is no type for Booleans: they are 1 and 0.
    public static var fieldType: FieldType { .int64 }

    public init?(fieldValue: FieldValue) {
        guard case .int64(let number) = fieldValue, number == 0 || number == 1 else { return nil }
        self = number == 1
    }

    public var fieldValue: FieldValue { .int64(self ? 1 : 0) }
}

extension Double: FieldConvertible {
    public static var fieldType: FieldType { .double }

    /// Takes an INT64 as well, which stands in a field that was widened to DOUBLE.
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

    /// To the nearest millisecond; dates beyond 290 million years are the first or the last that fits.
    public var fieldValue: FieldValue { .timestamp(milliseconds) }

    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

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
    /// In the usual 36 characters, as a STRING.
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
