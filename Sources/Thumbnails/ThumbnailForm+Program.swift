extension ThumbnailForm {
    /// The same picture under its one name: a box without one side has nothing to fill, so it contains.
    var normalized: ThumbnailForm {
        var form = self
        if width == nil || height == nil { form.fit = .contain }
        return form
    }

    /// The name of the form in a file name, such as `300x200-cover`, `300x-contain`; the format is the file's extension.
    var name: String {
        let width = width.map(String.init) ?? ""
        let height = height.map(String.init) ?? ""
        return "\(width)x\(height)-\(fit.rawValue)"
    }

    /// The form that has this name and format; `nil` for anything that `name` never returns.
    init?(name: some StringProtocol, format: Format) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let fit = Fit(rawValue: String(parts[1])) else { return nil }
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        self.init(width: Int(sides[0]), height: Int(sides[1]), fit: fit, format: format)
        guard width != nil || height != nil, self.name == name else { return nil }
    }

    /// The arguments of `vipsthumbnail` (libvips 8.10 and later) that read a picture from standard input and write this
    /// form of it to standard output.
    ///
    /// Streams and not paths: the program needs no file but these two, and a path could hold what libvips takes for
    /// options (`a[page=3].gif`). Of an animation the first picture is taken, and pictures are turned upright, unless told
    /// otherwise. Colours become sRGB (`-e`), so that the profile can go with the rest of the metadata (`strip`): the
    /// place where a photograph was taken must not leak. (WebP needs `WebPContainer` besides.)
    var programArguments: [String] {
        let width = width.map(String.init) ?? ""
        let height = height.map(String.init) ?? ""
        // `>`: only ever smaller.
        var arguments = ["vipsthumbnail", "stdin", "-s", "\(width)x\(height)>", "-e", "srgb"]
        if normalized.fit == .cover { arguments += ["-m", "centre"] }
        // Above this many bytes decoded pixels would go to a file. They stay in memory, which has a limit.
        arguments += ["--vips-disc-threshold=16g", "-o"]
        switch format {
        // JPEG has no alpha: white shows through.
        case .jpeg: arguments.append(".jpg[Q=80,strip,background=255]")
        case .png: arguments.append(".png[strip]")
        case .webp: arguments.append(".webp[Q=80,strip]")
        }
        return arguments
    }

    /// Whether a file that begins with `head` is of this form's format.
    func matches(head: [UInt8]) -> Bool {
        switch (format, PictureKind(head: head)) {
        case (.jpeg, .jpeg), (.png, .png), (.webp, .webp): true
        default: false
        }
    }
}
