extension Pages.Loaded: Codable where Page: Codable, PageID: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, page, eTag, lastModified
    }

    /// Decodes a page that was encoded by ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(PageID.self, forKey: .id), page: try container.decode(Page.self, forKey: .page),
            stamp: PageStamp.next(),
            validators: FetchValidators(
                eTag: try container.decodeIfPresent(String.self, forKey: .eTag),
                lastModified: try container.decodeIfPresent(String.self, forKey: .lastModified)))
    }

    /// Encodes the page, its identifier, and the validators that the server sent with it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(page, forKey: .page)
        let validators = validators
        try container.encodeIfPresent(validators.eTag, forKey: .eTag)
        try container.encodeIfPresent(validators.lastModified, forKey: .lastModified)
    }
}

extension Pages: Codable where Page: Codable, PageID: Codable {
    private enum CodingKeys: String, CodingKey {
        case pages, nextID, previousID
    }

    /// Decodes a list that was encoded by ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode([Loaded].self, forKey: .pages),
            nextID: try container.decodeIfPresent(PageID.self, forKey: .nextID),
            previousID: try container.decodeIfPresent(PageID.self, forKey: .previousID))
    }

    /// Encodes the pages in order, and the next and previous identifiers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(indices.map { loaded(at: $0) }, forKey: .pages)
        try container.encodeIfPresent(nextID, forKey: .nextID)
        try container.encodeIfPresent(previousID, forKey: .previousID)
    }
}
