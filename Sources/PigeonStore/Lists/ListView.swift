/// A list as it was at one moment.
struct ListView<Item: Sendable>: LazyData {
    let list: GrowingList<Item>
    let frontCount: Int
    let backCount: Int

    var value: [Item] { list.items(of: self) }

    func isSame(as other: any LazyData<[Item]>) -> Bool {
        guard let other = other as? ListView else { return false }
        return list === other.list && frontCount == other.frontCount && backCount == other.backCount
    }

    /// The list with a page after or before it.
    func adding(_ page: [Item], _ direction: PageDirection) -> ListView {
        list.adding(page, direction, to: self) ?? GrowingList(value.merging(page, direction)).view
    }
}
