/// A data set of another server.
package enum ForeignSource: String, Sendable, CaseIterable {
    case pocketbase, parse, ncmb

    /// Converts a data set into the lines of a container's file.
    ///
    /// - Parameters:
    ///   - paths: The data directory of PocketBase, alone; or directories and files of an export.
    ///   - options: What a person chooses.
    ///   - writer: Gets the lines.
    /// - Returns: What was converted, what was left out, and why.
    /// - Throws: `ConversionError` if the data set cannot be read, or is incomplete. The lines are worthless then.
    package func convert(
        _ paths: [String], _ options: ConversionOptions, to writer: ContainerWriter
    ) throws(ConversionError) -> ConversionReport {
        guard let first = paths.first else { throw ConversionError(".", "Name the data set") }
        let conversion = Conversion(writer, options)
        switch self {
        case .pocketbase:
            try PocketBaseConversion(conversion, first).run()
        case .parse:
            try ObjectConversion(conversion, ParseDialect(), ExportFiles(paths, content: options.files)).run()
        case .ncmb:
            try ObjectConversion(conversion, NCMBDialect(), ExportFiles(paths, content: options.files)).run()
        }
        return conversion.report
    }
}
