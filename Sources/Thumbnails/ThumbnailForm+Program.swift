extension ThumbnailForm {
    /// The canonical form with the same result. A box without width or height cannot be filled, so its fit is always
    /// `contain`.
    var normalized: ThumbnailForm {
        var form = self
        if width == nil || height == nil { form.fit = .contain }
        return form
    }

    /// The name of the form in file names, such as `300x200-cover` or `300x-contain`. The format is the file's
    /// extension.
    var name: String {
        let width = width.map(String.init) ?? ""
        let height = height.map(String.init) ?? ""
        return "\(width)x\(height)-\(fit.rawValue)"
    }

    /// Parses a name and format. The result is `nil` for any text that `name` does not return.
    init?(name: some StringProtocol, format: Format) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let fit = Fit(rawValue: String(parts[1])) else { return nil }
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        self.init(width: Int(sides[0]), height: Int(sides[1]), fit: fit, format: format)
        guard width != nil || height != nil, self.name == name else { return nil }
    }

    /// The arguments of `vipsthumbnail` (libvips 8.10 and later) for reading a picture from standard input and writing
    /// the thumbnail to standard output.
    ///
    /// The program reads and writes streams instead of paths, so it needs no access to other files. Streams also avoid
    /// the options that libvips parses in paths (`a[page=3].gif`). By default, the program takes the first frame of an
    /// animation and turns pictures upright. `strip` removes all metadata, because the location of a photograph must
    /// not leak. `strip` also removes the color profile, so colors are first converted to sRGB (`-e`). WebP
    /// additionally needs `WebPContainer`.
    var programArguments: [String] {
        let width = width.map(String.init) ?? ""
        let height = height.map(String.init) ?? ""
        // The suffix `>` prevents enlarging the picture.
        var arguments = ["vipsthumbnail", "stdin", "-s", "\(width)x\(height)>", "-e", "srgb"]
        if normalized.fit == .cover { arguments += ["-m", "centre"] }
        // By default, libvips decodes large pictures to a file. With this threshold it uses memory, which has a limit.
        arguments += ["--vips-disc-threshold=16g", "-o"]
        switch format {
        // JPEG has no alpha channel, so transparent parts become white.
        case .jpeg: arguments.append(".jpg[Q=80,strip,background=255]")
        case .png: arguments.append(".png[strip]")
        case .webp: arguments.append(".webp[Q=80,strip]")
        }
        return arguments
    }

    /// Returns whether a file that starts with `head` has this form's format.
    func matches(head: [UInt8]) -> Bool {
        switch (format, PictureKind(head: head)) {
        case (.jpeg, .jpeg), (.png, .png), (.webp, .webp): true
        default: false
        }
    }
}
