/// The record type and the fields of a model, for reading and for writing.
public protocol RecordShape: Sendable {
    /// The type of the model's field names. The default type accepts any name.
    associatedtype Fields: RecordFields = AnyField
    /// The name of the record type. The default is the name of the model.
    static var recordType: String { get }
    /// Returns the field that stores a property; `nil` if the property is not stored.
    static func field(for keyPath: PartialKeyPath<Self>) -> Fields?
}

extension RecordShape {
    public static var recordType: String { "\(Self.self)" }
    public static func field(for keyPath: PartialKeyPath<Self>) -> Fields? { nil }
}

/// A model that can be read from a record.
///
/// The macros `@RecordCodable` and `@RecordDecodable` generate the conformance. A `Decodable` type conforms without
/// further code.
public protocol RecordDecodable: RecordShape {
    /// Creates the model from the fields of a record.
    ///
    /// - Throws: `FogbaseError.decoding` if a field is missing or has another type.
    init(fields reader: inout FieldReader) throws
}

/// A model that can be written to a record.
///
/// The macros `@RecordCodable` and `@RecordEncodable` generate the conformance. An `Encodable` type conforms without
/// further code.
public protocol RecordEncodable: RecordShape {
    /// Writes the model to the fields of a record.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if a field cannot store a value, such as an infinite number.
    func encode(fields writer: inout FieldWriter) throws
}

/// A model that can be read from and written to records.
public typealias RecordCodable = RecordDecodable & RecordEncodable
