#if FOGBASE_MACROS

    /// Makes a struct a model: it is read from the fields of a record and written to them.
    ///
    /// ```swift
    /// @RecordCodable
    /// struct Post {
    ///     var title: String
    ///     var good = 0                             // a default: used where the field is absent
    ///     var image: Asset?                        // optional: absent is nil, and nil takes the field away
    ///     @Field("salesPrice") var price: Double   // another name in the record
    ///     @Transient var isSelected = false        // no field
    ///     var short: String { title }              // computed, static and lazy properties are no fields
    /// }
    /// ```
    ///
    /// Every other stored property is a field of the same name; a constant with a value is none. An optional property is
    /// nil where the field is absent, whatever default it has. The struct gets the conformances to ``RecordDecodable`` and
    /// ``RecordEncodable`` in an extension, with an enumeration `Fields` of its fields; what the struct has already is left
    /// as it is.
    ///
    /// - Parameter recordType: The name of the record type; the struct's own without one.
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

    /// Makes a struct a model that is only read from records. All else is as with ``RecordCodable(_:)``.
    ///
    /// - Parameter recordType: The name of the record type; the struct's own without one.
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

    /// Makes a struct a model that is only written to records. All else is as with ``RecordCodable(_:)``.
    ///
    /// - Parameter recordType: The name of the record type; the struct's own without one.
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

    /// Names the field that a property of a model is stored in, where it is not the property's own name.
    ///
    /// - Parameter name: A letter of any script, then letters, digits and underscores, 255 bytes at most, as a string literal; not the name of
    ///   a system field.
    @attached(peer)
    public macro Field(_ name: String) = #externalMacro(module: "FogbaseMacrosPlugin", type: "FieldMacro")

    /// Keeps a property of a model out of the record. It needs a default, for a model that is read has to have a value.
    @attached(peer)
    public macro Transient() = #externalMacro(module: "FogbaseMacrosPlugin", type: "TransientMacro")

#endif
