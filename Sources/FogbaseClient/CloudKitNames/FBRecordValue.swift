public import Foundation
public import RecordModel

/// A type that can be assigned to a field of an `FBRecord` (`CKRecordValueProtocol`).
public protocol FBRecordValue: Sendable {
    /// The field value; `nil` if no field can store it.
    var recordFieldValue: FieldValue? { get }
}

extension FBRecordValue where Self: FieldConvertible {
    public var recordFieldValue: FieldValue? { fieldValue }
}

extension String: FBRecordValue {}
extension Int: FBRecordValue {}
extension Int64: FBRecordValue {}
extension Int32: FBRecordValue {}
extension Bool: FBRecordValue {}
extension Double: FBRecordValue {}
extension Float: FBRecordValue {}
extension Date: FBRecordValue {}
extension Data: FBRecordValue {}
extension Location: FBRecordValue {}
extension Asset: FBRecordValue {}

extension Array: FBRecordValue where Element: FBRecordValue {
    public var recordFieldValue: FieldValue? {
        let members = compactMap(\.recordFieldValue)
        guard members.count == count else { return nil }
        // An empty list has no members that determine the field type, so the element type of the array determines it.
        guard let type = members.first?.type ?? (Element.self as? any FieldConvertible.Type)?.fieldType else {
            return nil
        }
        return members.allSatisfy { $0.type == type } ? .list(element: type, members) : nil
    }
}

extension NSNumber: FBRecordValue {
    public var recordFieldValue: FieldValue? {
        switch String(cString: objCType) {
        case "d", "f": .double(doubleValue)
        default: .int64(int64Value)
        }
    }
}

extension FBRecord.Reference: FBRecordValue {
    public var recordFieldValue: FieldValue? {
        RecordName(recordID.recordName).map {
            .reference(Reference(recordName: $0, action: action == .deleteSelf ? .deleteSelf : .none))
        }
    }
}

extension FBAsset: FBRecordValue {
    public var recordFieldValue: FieldValue? { asset.map(FieldValue.asset) }
}

extension [any FBRecordValue] {
    /// The array with a specific element type; `nil` unless all members have the same type.
    var asList: (any FBRecordValue)? {
        if let texts = self as? [String] { return texts }
        if let numbers = self as? [NSNumber] { return numbers }
        if let dates = self as? [Date] { return dates }
        if let bytes = self as? [Data] { return bytes }
        if let references = self as? [FBRecord.Reference] { return references }
        if let assets = self as? [FBAsset] { return assets }
        if let places = self as? [Location] { return places }
        return nil
    }
}
