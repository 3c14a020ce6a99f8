public import Foundation
internal import RecordWire

/// A type that keys and values of groups can have: `Int`, `Int64`, `Double`, `String` and `Date`. References and
/// accounts are the `String` of their record name.
public protocol GroupConvertible: Sendable {
    /// Creates the value from the number, text or null of a response. For the client only.
    init?(groupValue: GroupValue)
}

/// A key or value of a group as it comes from the server.
public enum GroupValue: Hashable, Sendable {
    /// An integer, or a time in milliseconds since 1970.
    case integer(Int64)
    /// A number with a fraction.
    case double(Double)
    /// A text, or the record name of a reference or an account.
    case text(String)
}

extension GroupConvertible {
    init?(group json: JSONValue) {
        switch json {
        case .integer(let number): self.init(groupValue: .integer(number))
        case .double(let number): self.init(groupValue: .double(number))
        case .string(let text): self.init(groupValue: .text(text))
        default: return nil
        }
    }
}

extension Int64: GroupConvertible {
    public init?(groupValue: GroupValue) {
        guard case .integer(let number) = groupValue else { return nil }
        self = number
    }
}

extension Int: GroupConvertible {
    public init?(groupValue: GroupValue) {
        guard case .integer(let number) = groupValue, let number = Int(exactly: number) else { return nil }
        self = number
    }
}

extension Double: GroupConvertible {
    public init?(groupValue: GroupValue) {
        switch groupValue {
        case .integer(let number): self = Double(number)
        case .double(let number): self = number
        case .text: return nil
        }
    }
}

extension String: GroupConvertible {
    public init?(groupValue: GroupValue) {
        guard case .text(let text) = groupValue else { return nil }
        self = text
    }
}

extension Date: GroupConvertible {
    public init?(groupValue: GroupValue) {
        guard case .integer(let milliseconds) = groupValue else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
