/**
 * The one object that the content scripts share, and the shapes they pass.
 *
 * What for: classic scripts have no imports; each file puts its functions on
 * `webtranslator` and takes what it needs from there. What not: no behaviour.
 * What must stay true: a second injection runs all files again and changes
 * nothing, so all state lives in `webtranslator.page`, which is made once.
 */

/**
 * @typedef {object} Slot A stretch of one Text node that belongs to one unit.
 * @property {TextState} state
 * @property {number} start First UTF-16 unit, in the page's own text.
 * @property {number} end
 * @property {string|null} value What stands there instead; null is the page's text.
 * @property {""|"silent"|"head"} part Silent: the reading of a word, not sent, not shown beside a translation.
 *   Head: holds the first letter of what the next slot holds.
 * @property {string} spaces The computed `white-space-collapse` where it stands.
 * @property {Unit|null} unit
 */
/**
 * @typedef {object} TextState What we know of one Text node of the page.
 * @property {Text} node
 * @property {string} source The page's own text.
 * @property {string|null} shown What we wrote; null when the page's text stands.
 * @property {Slot[]} slots In order of `start`.
 * @property {Node|null} within The block or shadow root whose run it was found in; null when it is to be looked at again.
 */
/**
 * @typedef {object} AttributeState What we know of one attribute.
 * @property {string} source
 * @property {string|null} shown
 * @property {Unit|null} unit
 */
/**
 * @typedef {object} Piece A part of a segment's tree: the whole, a pair of tags or a void tag.
 * @property {Element|null} outer The node that is moved as one; null for the whole.
 * @property {number} n Its tag number; 0 for the whole.
 * @property {boolean} opaque A void tag.
 * @property {boolean} partial Another segment has a part of it, so it cannot be moved.
 * @property {Piece[]} children
 * @property {Slot[][]} gaps The text before, between and after the children.
 */
/**
 * @typedef {object} Block The block that a run stands in.
 * @property {Element} element
 * @property {Element|ShadowRoot} within Whose child nodes the run is of: the element, or its shadow root.
 * @property {boolean} sawBlock It has blocks inside, so `lang` and `dir` are not for it.
 * @property {string} spaces The computed `white-space-collapse`.
 * @property {string} direction
 * @property {string} display
 * @property {boolean} isShown It has a box.
 * @property {boolean} measured The four above are known.
 */
/**
 * @typedef {object} Applied How a translation was shown, for taking it back.
 * @property {Node[]} own Nodes that we added.
 * @property {{parent: Node, before: Node[]}[]} moved Orders to put back.
 * @property {boolean} marked `lang` and `dir` of the block are ours.
 */
/**
 * @typedef {object} Unit One place in the page that shows one segment.
 * @property {Element} container The block of the run, or the element with the attribute.
 * @property {Block|null} block Null for an attribute.
 * @property {string|null} attribute
 * @property {string} text As it goes over the wire.
 * @property {number|undefined} tags
 * @property {string} plain The text without tags.
 * @property {boolean} ui
 * @property {string} lang The nearest `lang`, or "".
 * @property {boolean} hidden
 * @property {Piece|null} piece Null for an attribute.
 * @property {Slot[]} slots
 * @property {boolean} follows Another segment ends right before it, in a script without spaces.
 * @property {Entry|null} entry
 * @property {Applied|null} applied
 * @property {boolean} inText "both" mode writes into the page's text, not beside it.
 * @property {Element|null} mark
 * @property {boolean} dropped
 */
/**
 * @typedef {object} Entry One text that is asked once, for all units that show it.
 * @property {string} key
 * @property {string} text
 * @property {number|undefined} tags
 * @property {boolean} ui
 * @property {number} rank From 0, for what is visible, to 3, for what is not shown.
 * @property {"waiting"|"sent"|"translated"|"failed"} state
 * @property {Set<Unit>} units
 * @property {number} stream
 * @property {number} i
 * @property {boolean} retry
 * @property {string} translation
 * @property {string} provider Who translated it now; "" for what was remembered.
 * @property {string} code
 * @property {string} message
 */
/**
 * @typedef {object} Run Inline content of one block, between two breaks.
 * @property {Block} block
 * @property {Token[]} tokens
 * @property {string} lang
 * @property {boolean} hidden
 */
/**
 * @typedef {{kind: "text", node: Text, start: number, end: number, part: ""|"silent"|"head", spaces: string}
 *   | {kind: "open", element: Element, partial: boolean}
 *   | {kind: "close", element: Element, partial: boolean}
 *   | {kind: "opaque", element: Element}} Token
 */
/**
 * @typedef {{type: string, stream?: number, [field: string]: any}} PortMessage
 */
/**
 * @typedef {object} Self The state of the page.
 * @property {boolean} active
 * @property {PortMessage|null} wished The start that was asked for last; it may have to wait for a restore.
 * @property {number} generation Grows with each restore; older work stops.
 * @property {"translation"|"both"|"hover"} mode
 * @property {number} streams The number of the last stream.
 * @property {Ledger} ledger
 * @property {Renderer} renderer
 * @property {Set<Unit>} units
 * @property {Unit[]} ready To be shown.
 * @property {boolean} rendering
 * @property {boolean} pumping
 * @property {number} scrolled A timer.
 * @property {number} shownFailure
 * @property {Set<Element>} frames
 * @property {Set<Document|ShadowRoot>} roots
 * @property {number} detecting Units whose language the browser is asked for.
 * @property {number} far Units in a row that were far from the screen.
 * @property {object|undefined} waiting
 * @property {ReturnType<typeof reportModule.createTotals>} totals
 * @property {ReturnType<typeof budgetModule.createBudget>} budget
 * @property {Promise<unknown>} chain Start, restore and mode, one after the other.
 * @property {AbortController} abort Ends the listeners.
 * @property {boolean} announcing The other copies of this script are told that this one begins.
 */
/**
 * @typedef {object} Parts
 * @property {() => void} report
 * @property {(which: (entry: Entry) => boolean) => void} retry Asks failed entries again.
 * @property {ReturnType<typeof portModule.createPort>} port
 * @property {ReturnType<typeof queueModule.createQueue>} queue
 * @property {ReturnType<typeof collectModule.createCollector>} collector
 * @property {ReturnType<typeof watchModule.createWatch>} watch
 * @property {ReturnType<typeof hoverModule.createHover>} hover
 * @property {ReturnType<typeof hostsModule.createHosts>} hosts
 */
/**
 * @typedef {object} Shared
 * @property {typeof browserApiModule} browserApi
 * @property {typeof slicesModule} slices
 * @property {typeof languageModule} language
 * @property {typeof markupModule} markup
 * @property {typeof elementsModule} elements
 * @property {typeof ledgerModule} ledger
 * @property {typeof cutModule} cut
 * @property {typeof segmentsModule} segments
 * @property {typeof walkModule} walk
 * @property {typeof hostsModule} hosts
 * @property {typeof rankModule} rank
 * @property {typeof queueModule} queue
 * @property {typeof portModule} port
 * @property {typeof renderModule} render
 * @property {typeof renderBothModule} renderBoth
 * @property {typeof marksModule} marks
 * @property {typeof bubbleModule} bubble
 * @property {typeof hoverModule} hover
 * @property {typeof restlessModule} restless
 * @property {typeof watchModule} watch
 * @property {typeof reportModule} report
 * @property {typeof budgetModule} budget
 * @property {typeof collectModule} collect
 * @property {typeof askModule} ask
 * @property {typeof showModule} show
 * @property {typeof pageModule} pages
 * @property {ReturnType<typeof pageModule.createPage>} [page]
 */

/** @type {Shared} */
var webtranslator = globalThis.webtranslator ?? {};
