#if FOGBASE_MACROS

    /// Makes a struct a model that can be read from and written to records.
    ///
    /// ```swift
    /// @RecordCodable
    /// struct Post {
    ///     var title: String
    ///     var good = 0                             // default: used if the field is missing
    ///     var image: Asset?                        // optional: nil if missing; saving nil removes the field
    ///     @Field("salesPrice") var price: Double   // another field name
    ///     @Transient var isSelected = false        // not stored
    ///     var short: String { title }              // computed, static and lazy properties are not stored
    /// }
    /// ```
    ///
    /// Every other stored property is a field with the name of the property, except for constants with an initial
    /// value. If the field of an optional property is missing, the property is `nil`, even if the property has a
    /// default value.
    ///
    /// The macro generates an extension with the conformances to ``RecordDecodable`` and ``RecordEncodable`` and an
    /// enumeration `Fields`. It does not generate members that the struct already has.
    ///
    /// - Parameter recordType: The name of the record type; the default is the name of the struct.
    @attached(
        extension,
        conformances: RecordDecodable,
        RecordEncodable,
        names: named(Fields),
        named(recordType),
        named(field(for:)),
        named(init(fields:)),
        named(encode(fields:))
    )
    public macro RecordCodable(_ recordType: String? = nil) =
        #externalMacro(module: "FogbaseMacrosPlugin", type: "RecordCodableMacro")

    /// Makes a struct a model that can only be read from records. See ``RecordCodable(_:)`` for the rules.
    ///
    /// - Parameter recordType: The name of the record type; the default is the name of the struct.
    @attached(
        extension,
        conformances: RecordDecodable,
        names: named(Fields),
        named(recordType),
        named(field(for:)),
        named(init(fields:))
    )
    public macro RecordDecodable(_ recordType: String? = nil) =
        #externalMacro(module: "FogbaseMacrosPlugin", type: "RecordDecodableMacro")

    /// Makes a struct a model that can only be written to records. See ``RecordCodable(_:)`` for the rules.
    ///
    /// - Parameter recordType: The name of the record type; the default is the name of the struct.
    @attached(
        extension,
        conformances: RecordEncodable,
        names: named(Fields),
        named(recordType),
        named(field(for:)),
        named(encode(fields:))
    )
    public macro RecordEncodable(_ recordType: String? = nil) =
        #externalMacro(module: "FogbaseMacrosPlugin", type: "RecordEncodableMacro")

    /// Stores a property of a model in a field with another name.
    ///
    /// - Parameter name: The field name as a string literal: a letter of any script, then letters, digits and
    ///   underscores, at most 255 bytes, and not the name of a system field.
    @attached(peer)
    public macro Field(_ name: String) = #externalMacro(module: "FogbaseMacrosPlugin", type: "FieldMacro")

    /// Excludes a property of a model from the record. The property needs a default value if the model can be read from
    /// records.
    @attached(peer)
    public macro Transient() = #externalMacro(module: "FogbaseMacrosPlugin", type: "TransientMacro")

#endif
