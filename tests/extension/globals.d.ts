/**
 * What the pages of these tests hold. A test wrote its page and knows that an
 * element is there and what it is, so `querySelector` promises it.
 */
export {};

declare global {
  interface ParentNode {
    querySelector(selectors: string): any;
  }
  var background: any;
  var held: any;
  var writes: any;
  var kept: any;
  var saved: any;
  var removed: any;
  var inClosed: any;
  var inOpen: any;
  var clicks: any;
  var child: any;
}
