/// What a model has in common with the records that it is read from and written to.
public protocol RecordShape: Sendable {
    /// The model's fields by name. Without one, any name is a field.
    associatedtype Fields: RecordFields = AnyField
    /// The name of the record type; the model's own name unless it says otherwise.
    static var recordType: String { get }
    /// The field that a property is stored in; `nil` if it is stored in none.
    static func field(for keyPath: PartialKeyPath<Self>) -> Fields?
}

extension RecordShape {
    public static var recordType: String { "\(Self.self)" }
    public static func field(for keyPath: PartialKeyPath<Self>) -> Fields? { nil }
}

/// A model that is read from the fields of a record. The macros `@RecordCodable` and `@RecordDecodable` write all of it; for
/// a `Decodable` type nothing needs to be written.
public protocol RecordDecodable: RecordShape {
    /// Reads the model.
    ///
    /// - Throws: `FogbaseError.decoding` if a field is missing or has another type.
    init(fields reader: inout FieldReader) throws
}

/// A model that is written to the fields of a record. The macros `@RecordCodable` and `@RecordEncodable` write all of it; for
/// an `Encodable` type nothing needs to be written.
public protocol RecordEncodable: RecordShape {
    /// Writes the model.
    ///
    /// - Throws: `FogbaseError.invalidArgument` for a value that no field can have, such as an infinite number.
    func encode(fields writer: inout FieldWriter) throws
}

/// A model that is both read and written.
public typealias RecordCodable = RecordDecodable & RecordEncodable
