# What follows an early return is one level deeper, so their number has a limit.
import triton
import triton.language as tl


# lower: many_returns(i32)
@triton.jit
def many_returns(n):
    if n == 0:
        return
    if n == 1:
        return
    if n == 2:
        return
    if n == 3:
        return
    if n == 4:
        return
    if n == 5:
        return
    if n == 6:
        return
    if n == 7:
        return
    if n == 8:
        return
    if n == 9:
        return
    if n == 10:
        return
    if n == 11:
        return
    if n == 12:
        return
    if n == 13:
        return
    if n == 14:
        return
    if n == 15:
        return
    if n == 16:
        return
    if n == 17:
        return
    if n == 18:
        return
    if n == 19:
        return
    if n == 20:
        return
    if n == 21:
        return
    if n == 22:
        return
    if n == 23:
        return
    if n == 24:
        return
    if n == 25:
        return
    if n == 26:
        return
    if n == 27:
        return
    if n == 28:
        return
    if n == 29:
        return
    if n == 30:
        return
    if n == 31:
        return
    if n == 32:
        return
    if n == 33:
        return
    if n == 34:
        return
    if n == 35:
        return
    if n == 36:
        return
    if n == 37:
        return
    if n == 38:
        return
    if n == 39:
        return
    if n == 40:
        return
    if n == 41:
        return
    if n == 42:
        return
    if n == 43:
        return
    if n == 44:
        return
    if n == 45:
        return
    if n == 46:
        return
    if n == 47:
        return
    if n == 48:
        return
    if n == 49:
        return
    if n == 50:
        return
    if n == 51:
        return
    if n == 52:
        return
    if n == 53:
        return
    if n == 54:
        return
    if n == 55:
        return
    if n == 56:
        return
    if n == 57:
        return
    if n == 58:
        return
    if n == 59:
        return
    if n == 60:
        return
    if n == 61:
        return
    if n == 62:
        return
    if n == 63:
        return
    if n == 64:
        return
    if n == 65:
        return
    if n == 66:
        return
    if n == 67:
        return
    if n == 68:
        return
    if n == 69:
        return
    if n == 70:
        return
    if n == 71:
        return
    if n == 72:
        return
    if n == 73:
        return
    if n == 74:
        return
    if n == 75:
        return
    if n == 76:
        return
    if n == 77:
        return
    if n == 78:
        return
    if n == 79:
        return
    if n == 80:
        return
    if n == 81:
        return
    if n == 82:
        return
    if n == 83:
        return
    if n == 84:
        return
    if n == 85:
        return
    if n == 86:
        return
    if n == 87:
        return
    if n == 88:
        return
    if n == 89:
        return
    if n == 90:
        return
    if n == 91:
        return
    if n == 92:
        return
    if n == 93:
        return
    if n == 94:
        return
    if n == 95:
        return
    if n == 96:
        return
    if n == 97:
        return
    if n == 98:
        return
    if n == 99:
        return
    if n == 100:
        return
    if n == 101:
        return
    if n == 102:
        return
    if n == 103:
        return
    if n == 104:
        return
    if n == 105:
        return
    if n == 106:
        return
    if n == 107:
        return
    if n == 108:
        return
    if n == 109:
        return
    if n == 110:
        return
    if n == 111:
        return
    if n == 112:
        return
    if n == 113:
        return
    if n == 114:
        return
    if n == 115:
        return
    if n == 116:
        return
    if n == 117:
        return
    if n == 118:
        return
    if n == 119:
        return
    if n == 120:
        return
    if n == 121:
        return
    if n == 122:
        return
    if n == 123:
        return
    if n == 124:
        return
    if n == 125:
        return
    if n == 126:
        return
    if n == 127:
        return
    if n == 128:
        return
    if n == 129:
        return
    if n == 130:
        return
    if n == 131:
        return
    if n == 132:
        return
    if n == 133:
        return
    if n == 134:
        return
    if n == 135:
        return
    if n == 136:
        return
    if n == 137:
        return
    if n == 138:
        return
    if n == 139:
        return
    if n == 140:
        return
    if n == 141:
        return
    if n == 142:
        return
    if n == 143:
        return
    if n == 144:
        return
    if n == 145:
        return
    if n == 146:
        return
    if n == 147:
        return
    if n == 148:
        return
    if n == 149:
        return
    if n == 150:
        return
    if n == 151:
        return
    if n == 152:
        return
    if n == 153:
        return
    if n == 154:
        return
    if n == 155:
        return
    if n == 156:
        return
    if n == 157:
        return
    if n == 158:
        return
    if n == 159:
        return
    if n == 160:
        return
    if n == 161:
        return
    if n == 162:
        return
    if n == 163:
        return
    if n == 164:
        return
    if n == 165:
        return
    if n == 166:
        return
    if n == 167:
        return
    if n == 168:
        return
    if n == 169:
        return
    if n == 170:
        return
    if n == 171:
        return
    if n == 172:
        return
    if n == 173:
        return
    if n == 174:
        return
    if n == 175:
        return
    if n == 176:
        return
    if n == 177:
        return
    if n == 178:
        return
    if n == 179:
        return
    if n == 180:
        return
    if n == 181:
        return
    if n == 182:
        return
    if n == 183:
        return
    if n == 184:
        return
    if n == 185:
        return
    if n == 186:
        return
    if n == 187:
        return
    if n == 188:
        return
    if n == 189:
        return
    if n == 190:
        return
    if n == 191:
        return
    if n == 192:
        return
    if n == 193:
        return
    if n == 194:
        return
    if n == 195:
        return
    if n == 196:
        return
    if n == 197:
        return
    if n == 198:
        return
    if n == 199:
        return
    if n == 200:
        return
    if n == 201:
        return
    if n == 202:
        return
    if n == 203:
        return
    if n == 204:
        return
    if n == 205:
        return
    if n == 206:
        return
    if n == 207:
        return
    if n == 208:
        return
    if n == 209:
        return
    if n == 210:
        return
    if n == 211:
        return
    if n == 212:
        return
    if n == 213:
        return
    if n == 214:
        return
    if n == 215:
        return
    if n == 216:
        return
    if n == 217:
        return
    if n == 218:
        return
    if n == 219:
        return
    if n == 220:
        return
    if n == 221:
        return
    if n == 222:
        return
    if n == 223:
        return
    if n == 224:
        return
    if n == 225:
        return
    if n == 226:
        return
    if n == 227:
        return
    if n == 228:
        return
    if n == 229:
        return
    if n == 230:
        return
    if n == 231:
        return
    if n == 232:
        return
    if n == 233:
        return
    if n == 234:
        return
    if n == 235:
        return
    if n == 236:
        return
    if n == 237:
        return
    if n == 238:
        return
    if n == 239:
        return
    if n == 240:
        return
    if n == 241:
        return
    if n == 242:
        return
    if n == 243:
        return
    if n == 244:
        return
    if n == 245:
        return
    if n == 246:
        return
    if n == 247:
        return
    if n == 248:
        return
    if n == 249:
        return
    if n == 250:
        return
    if n == 251:
        return
    if n == 252:
        return
    if n == 253:
        return
    if n == 254:
        return
    if n == 255:
        return
    if n == 256:
        return
    if n == 257:
        return
    if n == 258:
        return
    if n == 259:
        return
    if n == 260:
        return
    if n == 261:
        return
    if n == 262:
        return
    if n == 263:
        return
    if n == 264:
        return
    if n == 265:
        return
    if n == 266:
        return
    if n == 267:
        return
    if n == 268:
        return
    if n == 269:
        return
    if n == 270:
        return
    if n == 271:
        return
    if n == 272:
        return
    if n == 273:
        return
    if n == 274:
        return
    if n == 275:
        return
    if n == 276:
        return
    if n == 277:
        return
    if n == 278:
        return
    if n == 279:
        return
    if n == 280:
        return
    if n == 281:
        return
    if n == 282:
        return
    if n == 283:
        return
    if n == 284:
        return
    if n == 285:
        return
    if n == 286:
        return
    if n == 287:
        return
    if n == 288:
        return
    if n == 289:
        return
    if n == 290:
        return
    if n == 291:
        return
    if n == 292:
        return
    if n == 293:
        return
    if n == 294:
        return
    if n == 295:
        return
    if n == 296:
        return
    if n == 297:
        return
    if n == 298:
        return
    if n == 299:
        return
    if n == 300:
        return
    if n == 301:
        return
    if n == 302:
        return
    if n == 303:
        return
    if n == 304:
        return
    if n == 305:
        return
    if n == 306:
        return
    if n == 307:
        return
    if n == 308:
        return
    if n == 309:
        return
    if n == 310:
        return
    if n == 311:
        return
    if n == 312:
        return
    if n == 313:
        return
    if n == 314:
        return
    if n == 315:
        return
    if n == 316:
        return
    if n == 317:
        return
    if n == 318:
        return
    if n == 319:
        return
    if n == 320:
        return
    if n == 321:
        return
    if n == 322:
        return
    if n == 323:
        return
    if n == 324:
        return
    if n == 325:
        return
    if n == 326:
        return
    if n == 327:
        return
    if n == 328:
        return
    if n == 329:
        return
    if n == 330:
        return
    if n == 331:
        return
    if n == 332:
        return
    if n == 333:
        return
    if n == 334:
        return
    if n == 335:
        return
    if n == 336:
        return
    if n == 337:
        return
    if n == 338:
        return
    if n == 339:
        return
    if n == 340:
        return
    if n == 341:
        return
    if n == 342:
        return
    if n == 343:
        return
    if n == 344:
        return
    if n == 345:
        return
    if n == 346:
        return
    if n == 347:
        return
    if n == 348:
        return
    if n == 349:
        return
    if n == 350:
        return
    if n == 351:
        return
    if n == 352:
        return
    if n == 353:
        return
    if n == 354:
        return
    if n == 355:
        return
    if n == 356:
        return
    if n == 357:
        return
    if n == 358:
        return
    if n == 359:
        return
    if n == 360:
        return
    if n == 361:
        return
    if n == 362:
        return
    if n == 363:
        return
    if n == 364:
        return
    if n == 365:
        return
    if n == 366:
        return
    if n == 367:
        return
    if n == 368:
        return
    if n == 369:
        return
    if n == 370:
        return
    if n == 371:
        return
    if n == 372:
        return
    if n == 373:
        return
    if n == 374:
        return
    if n == 375:
        return
    if n == 376:
        return
    if n == 377:
        return
    if n == 378:
        return
    if n == 379:
        return
    if n == 380:
        return
    if n == 381:
        return
    if n == 382:
        return
    if n == 383:
        return
    if n == 384:
        return
    if n == 385:
        return
    if n == 386:
        return
    if n == 387:
        return
    if n == 388:
        return
    if n == 389:
        return
    if n == 390:
        return
    if n == 391:
        return
    if n == 392:
        return
    if n == 393:
        return
    if n == 394:
        return
    if n == 395:
        return
    if n == 396:
        return
    if n == 397:
        return
    if n == 398:
        return
    if n == 399:
        return
    if n == 400:
        return
    if n == 401:
        return
    if n == 402:
        return
    if n == 403:
        return
    if n == 404:
        return
    if n == 405:
        return
    if n == 406:
        return
    if n == 407:
        return
    if n == 408:
        return
    if n == 409:
        return
    if n == 410:
        return
    if n == 411:
        return
    if n == 412:
        return
    if n == 413:
        return
    if n == 414:
        return
    if n == 415:
        return
    if n == 416:
        return
    if n == 417:
        return
    if n == 418:
        return
    if n == 419:
        return
    if n == 420:
        return
    if n == 421:
        return
    if n == 422:
        return
    if n == 423:
        return
    if n == 424:
        return
    if n == 425:
        return
    if n == 426:
        return
    if n == 427:
        return
    if n == 428:
        return
    if n == 429:
        return
    if n == 430:
        return
    if n == 431:
        return
    if n == 432:
        return
    if n == 433:
        return
    if n == 434:
        return
    if n == 435:
        return
    if n == 436:
        return
    if n == 437:
        return
    if n == 438:
        return
    if n == 439:
        return
    if n == 440:
        return
    if n == 441:
        return
    if n == 442:
        return
    if n == 443:
        return
    if n == 444:
        return
    if n == 445:
        return
    if n == 446:
        return
    if n == 447:
        return
    if n == 448:
        return
    if n == 449:
        return
    if n == 450:
        return
    if n == 451:
        return
    if n == 452:
        return
    if n == 453:
        return
    if n == 454:
        return
    if n == 455:
        return
    if n == 456:
        return
    if n == 457:
        return
    if n == 458:
        return
    if n == 459:
        return
    if n == 460:
        return
    if n == 461:
        return
    if n == 462:
        return
    if n == 463:
        return
    if n == 464:
        return
    if n == 465:
        return
    if n == 466:
        return
    if n == 467:
        return
    if n == 468:
        return
    if n == 469:
        return
    if n == 470:
        return
    if n == 471:
        return
    if n == 472:
        return
    if n == 473:
        return
    if n == 474:
        return
    if n == 475:
        return
    if n == 476:
        return
    if n == 477:
        return
    if n == 478:
        return
    if n == 479:
        return
    if n == 480:
        return
    if n == 481:
        return
    if n == 482:
        return
    if n == 483:
        return
    if n == 484:
        return
    if n == 485:
        return
    if n == 486:
        return
    if n == 487:
        return
    if n == 488:
        return
    if n == 489:
        return
    if n == 490:
        return
    if n == 491:
        return
    if n == 492:
        return
    if n == 493:
        return
    if n == 494:
        return
    if n == 495:
        return
    if n == 496:
        return
    if n == 497:
        return
    if n == 498:
        return
    if n == 499:
        return
    if n == 500:
        return
    if n == 501:
        return
    if n == 502:
        return
    if n == 503:
        return
    if n == 504:
        return
    if n == 505:
        return
    if n == 506:
        return
    if n == 507:
        return
    if n == 508:
        return
    if n == 509:
        return
    if n == 510:
        return
    if n == 511:
        return
    if n == 512:
        return
    if n == 513:
        return
    if n == 514:
        return
    if n == 515:
        return
    if n == 516:
        return
    if n == 517:
        return
    if n == 518:
        return
    if n == 519:
        return
    if n == 520:
        return
    if n == 521:
        return
    if n == 522:
        return
    if n == 523:
        return
    if n == 524:
        return
    if n == 525:
        return
    if n == 526:
        return
    if n == 527:
        return
    if n == 528:
        return
    if n == 529:
        return
    if n == 530:
        return
    if n == 531:
        return
    if n == 532:
        return
    if n == 533:
        return
    if n == 534:
        return
    if n == 535:
        return
    if n == 536:
        return
    if n == 537:
        return
    if n == 538:
        return
    if n == 539:
        return
    if n == 540:
        return
    if n == 541:
        return
    if n == 542:
        return
    if n == 543:
        return
    if n == 544:
        return
    if n == 545:
        return
    if n == 546:
        return
    if n == 547:
        return
    if n == 548:
        return
    if n == 549:
        return
    if n == 550:
        return
    if n == 551:
        return
    if n == 552:
        return
    if n == 553:
        return
    if n == 554:
        return
    if n == 555:
        return
    if n == 556:
        return
    if n == 557:
        return
    if n == 558:
        return
    if n == 559:
        return
    if n == 560:
        return
    if n == 561:
        return
    if n == 562:
        return
    if n == 563:
        return
    if n == 564:
        return
    if n == 565:
        return
    if n == 566:
        return
    if n == 567:
        return
    if n == 568:
        return
    if n == 569:
        return
    if n == 570:
        return
    if n == 571:
        return
    if n == 572:
        return
    if n == 573:
        return
    if n == 574:
        return
    if n == 575:
        return
    if n == 576:
        return
    if n == 577:
        return
    if n == 578:
        return
    if n == 579:
        return
    if n == 580:
        return
    if n == 581:
        return
    if n == 582:
        return
    if n == 583:
        return
    if n == 584:
        return
    if n == 585:
        return
    if n == 586:
        return
    if n == 587:
        return
    if n == 588:
        return
    if n == 589:
        return
    if n == 590:
        return
    if n == 591:
        return
    if n == 592:
        return
    if n == 593:
        return
    if n == 594:
        return
    if n == 595:
        return
    if n == 596:
        return
    if n == 597:
        return
    if n == 598:
        return
    if n == 599:
        return
    if n == 600:
        return
    if n == 601:
        return
    if n == 602:
        return
    if n == 603:
        return
    if n == 604:
        return
    if n == 605:
        return
    if n == 606:
        return
    if n == 607:
        return
    if n == 608:
        return
    if n == 609:
        return
    if n == 610:
        return
    if n == 611:
        return
    if n == 612:
        return
    if n == 613:
        return
    if n == 614:
        return
    if n == 615:
        return
    if n == 616:
        return
    if n == 617:
        return
    if n == 618:
        return
    if n == 619:
        return
    if n == 620:
        return
    if n == 621:
        return
    if n == 622:
        return
    if n == 623:
        return
    if n == 624:
        return
    if n == 625:
        return
    if n == 626:
        return
    if n == 627:
        return
    if n == 628:
        return
    if n == 629:
        return
    if n == 630:
        return
    if n == 631:
        return
    if n == 632:
        return
    if n == 633:
        return
    if n == 634:
        return
    if n == 635:
        return
    if n == 636:
        return
    if n == 637:
        return
    if n == 638:
        return
    if n == 639:
        return
    if n == 640:
        return
    if n == 641:
        return
    if n == 642:
        return
    if n == 643:
        return
    if n == 644:
        return
    if n == 645:
        return
    if n == 646:
        return
    if n == 647:
        return
    if n == 648:
        return
    if n == 649:
        return
    if n == 650:
        return
    if n == 651:
        return
    if n == 652:
        return
    if n == 653:
        return
    if n == 654:
        return
    if n == 655:
        return
    if n == 656:
        return
    if n == 657:
        return
    if n == 658:
        return
    if n == 659:
        return
    if n == 660:
        return
    if n == 661:
        return
    if n == 662:
        return
    if n == 663:
        return
    if n == 664:
        return
    if n == 665:
        return
    if n == 666:
        return
    if n == 667:
        return
    if n == 668:
        return
    if n == 669:
        return
    if n == 670:
        return
    if n == 671:
        return
    if n == 672:
        return
    if n == 673:
        return
    if n == 674:
        return
    if n == 675:
        return
    if n == 676:
        return
    if n == 677:
        return
    if n == 678:
        return
    if n == 679:
        return
    if n == 680:
        return
    if n == 681:
        return
    if n == 682:
        return
    if n == 683:
        return
    if n == 684:
        return
    if n == 685:
        return
    if n == 686:
        return
    if n == 687:
        return
    if n == 688:
        return
    if n == 689:
        return
    if n == 690:
        return
    if n == 691:
        return
    if n == 692:
        return
    if n == 693:
        return
    if n == 694:
        return
    if n == 695:
        return
    if n == 696:
        return
    if n == 697:
        return
    if n == 698:
        return
    if n == 699:
        return
    if n == 700:
        return
    if n == 701:
        return
    if n == 702:
        return
    if n == 703:
        return
    if n == 704:
        return
    if n == 705:
        return
    if n == 706:
        return
    if n == 707:
        return
    if n == 708:
        return
    if n == 709:
        return
    if n == 710:
        return
    if n == 711:
        return
    if n == 712:
        return
    if n == 713:
        return
    if n == 714:
        return
    if n == 715:
        return
    if n == 716:
        return
    if n == 717:
        return
    if n == 718:
        return
    if n == 719:
        return
    if n == 720:
        return
    if n == 721:
        return
    if n == 722:
        return
    if n == 723:
        return
    if n == 724:
        return
    if n == 725:
        return
    if n == 726:
        return
    if n == 727:
        return
    if n == 728:
        return
    if n == 729:
        return
    if n == 730:
        return
    if n == 731:
        return
    if n == 732:
        return
    if n == 733:
        return
    if n == 734:
        return
    if n == 735:
        return
    if n == 736:
        return
    if n == 737:
        return
    if n == 738:
        return
    if n == 739:
        return
    if n == 740:
        return
    if n == 741:
        return
    if n == 742:
        return
    if n == 743:
        return
    if n == 744:
        return
    if n == 745:
        return
    if n == 746:
        return
    if n == 747:
        return
    if n == 748:
        return
    if n == 749:
        return
    if n == 750:
        return
    if n == 751:
        return
    if n == 752:
        return
    if n == 753:
        return
    if n == 754:
        return
    if n == 755:
        return
    if n == 756:
        return
    if n == 757:
        return
    if n == 758:
        return
    if n == 759:
        return
    if n == 760:
        return
    if n == 761:
        return
    if n == 762:
        return
    if n == 763:
        return
    if n == 764:
        return
    if n == 765:
        return
    if n == 766:
        return
    if n == 767:
        return
    if n == 768:
        return
    if n == 769:
        return
    if n == 770:
        return
    if n == 771:
        return
    if n == 772:
        return
    if n == 773:
        return
    if n == 774:
        return
    if n == 775:
        return
    if n == 776:
        return
    if n == 777:
        return
    if n == 778:
        return
    if n == 779:
        return
    if n == 780:
        return
    if n == 781:
        return
    if n == 782:
        return
    if n == 783:
        return
    if n == 784:
        return
    if n == 785:
        return
    if n == 786:
        return
    if n == 787:
        return
    if n == 788:
        return
    if n == 789:
        return
    if n == 790:
        return
    if n == 791:
        return
    if n == 792:
        return
    if n == 793:
        return
    if n == 794:
        return
    if n == 795:
        return
    if n == 796:
        return
    if n == 797:
        return
    if n == 798:
        return
    if n == 799:
        return
